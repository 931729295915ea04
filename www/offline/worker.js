// The service worker: keeps the files of one version of the page, so that it opens without a network. The build puts the names
// of the files and the version before this text. It never takes over a page that is open, unless the reader asks for it.
const KEPT = `tokenyard-${VERSION}`;
const INDEX = './';
/** How long the network may take for the index before the kept one is shown. */
const PATIENCE_MS = 4000;

/** Files with a hash in their name are those of an earlier version if it had them. */
async function keepOne(cache, file) {
  const before = file === INDEX ? undefined : await caches.match(file, { ignoreVary: true });
  const response = before ?? (await fetch(new Request(file, { cache: file === INDEX ? 'reload' : 'default' })));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  await cache.put(file, response);
}

async function keepAll() {
  const cache = await caches.open(KEPT);
  for (const file of [INDEX, ...FILES]) await keepOne(cache, file);
}

async function dropOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((n) => n.startsWith('tokenyard-') && n !== KEPT).map((n) => caches.delete(n)));
}

async function index(request) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(INDEX, { ignoreVary: true });
  const patience = new Promise((resolve) => {
    if (kept) setTimeout(resolve, PATIENCE_MS, kept.clone());
  });
  return Promise.race([fetch(request).catch((error) => kept ?? Promise.reject(error)), patience]);
}

async function file(request) {
  const cache = await caches.open(KEPT);
  return (await cache.match(request, { ignoreSearch: true, ignoreVary: true })) ?? fetch(request);
}

/** The page of a lesson leads to the lesson, without a network too. */
async function lessonPage(request, name) {
  const opens = new URL(name ? `./#lesson=${name};step=1` : './#learn', self.registration.scope);
  return fetch(request).catch(() => Response.redirect(opens));
}

function navigated(request) {
  const below = request.url.slice(self.registration.scope.length);
  // A page of its own, which is not kept.
  if (/^accuracy\.html(?:[?#]|$)/.test(below)) return fetch(request);
  const [, name] = /^learn\/(?:([^/?#]*)\/)?(?:index\.html)?(?:[?#]|$)/.exec(below) ?? [];
  return below.startsWith('learn/') ? lessonPage(request, name) : index(request);
}

self.addEventListener('install', (event) => event.waitUntil(keepAll()));
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()));
self.addEventListener('message', (event) => {
  if (event.data === 'take-over') self.skipWaiting();
});
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(request.mode === 'navigate' ? navigated(request) : file(request));
});
