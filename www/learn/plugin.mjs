import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What texts are in HTML. */
const html = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The policy of these pages: they show text and an image, and load one script of the site. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

const KINDS = { predict: 'Predict', do: 'Do', see: 'See', why: 'Why', try: 'Try' };

/**
 * A page that is read without JavaScript and shown by others as a preview. `up` leads to the page of the simulator, `base` is the
 * address of this page where that is known: previews need whole addresses.
 */
function page({ title, about, up, base, opens, image, body }) {
  const pictured = image
    ? `<meta property="og:image" content="${html(base + image)}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="${html(`A picture of the lesson “${title}”`)}">
<meta name="twitter:card" content="summary_large_image">`
    : '<meta name="twitter:card" content="summary">';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<title>${html(title)} · Tokenyard</title>
<meta name="description" content="${html(about)}">
<meta property="og:type" content="article">
<meta property="og:site_name" content="Tokenyard">
<meta property="og:title" content="${html(title)}">
<meta property="og:description" content="${html(about)}">
${base ? `<meta property="og:url" content="${html(base)}">\n` : ''}${pictured}
<link rel="icon" href="${up}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}learn/page.css">
</head>
<body>
<main>
<p>Tokenyard, a simulator of LLM serving</p>
<h1>${html(title)}</h1>
<p>${html(about)}</p>
<p><a id="open" href="${up}${opens}">Open in Tokenyard</a></p>
${body}
</main>
<script src="${up}learn/open.js"></script>
</body>
</html>
`;
}

function lessonPage(card, base) {
  const steps = card.steps.map(({ kind, title }) => `<li><b>${KINDS[kind] ?? kind}</b> ${html(title)}</li>`);
  return page({
    ...{ title: card.title, about: card.about, up: '../../', image: 'preview.png' },
    base: base && `${base}learn/${card.name}/`,
    opens: `#lesson=${card.name};step=1`,
    body: `<h2>Steps, ${card.minutes} minutes</h2>\n<ol>\n${steps.join('\n')}\n</ol>
<p><a href="../">All lessons</a></p>`,
  });
}

function listPage(cards, base) {
  const items = cards.map(
    ({ name, title, about }) => `<li><a href="./${name}/">${html(title)}</a>: ${html(about)}</li>`,
  );
  return page({
    title: 'Lessons on LLM serving',
    about: 'Short lessons in a simulator: predict, do, see why. The engine checks every claim.',
    ...{ up: '../', opens: '#learn', image: '' },
    base: base && `${base}learn/`,
    body: `<ol>\n${items.join('\n')}\n</ol>`,
  });
}

/**
 * Writes a page for each lesson, learn/NAME/index.html, and one for all of them. The images beside them, preview.png, come from
 * `scripts/previews` (scripts/build-www). TOKENYARD_URL is the address at which the build will be served, if that is known.
 */
export function lessonPages(env = process.env) {
  return {
    name: 'lesson-pages',
    apply: 'build',
    generateBundle() {
      const cards = JSON.parse(readFileSync(at('../src/generated/lessons.json'), 'utf8'));
      const base = (env.TOKENYARD_URL ?? '').replace(/([^/])$/, '$1/');
      const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName: `learn/${fileName}`, source });
      for (const card of cards) emit(`${card.name}/index.html`, lessonPage(card, base));
      emit('index.html', listPage(cards, base));
      for (const file of ['page.css', 'open.js']) emit(file, readFileSync(at(file), 'utf8'));
    },
  };
}
