// Runs before the first paint, so that the page never flashes the other theme. It needs nothing else of the page, and so it also says
// when the rest does not come.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem('theme');
  } catch {
    // Storage can be forbidden; the system's preference still holds.
  }
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = kept === 'dark' || kept === 'light' ? kept : light ? 'light' : 'dark';

  let seconds = 0;
  let told;
  const look = setInterval(() => {
    seconds += 1;
    const started = performance.getEntriesByName('first-frame').length > 0;
    if (started) {
      told?.remove();
      clearInterval(look);
    } else if (seconds >= 5 && !told && !document.querySelector('.notice')) {
      told = document.createElement('p');
      told.className = 'unstarted';
      told.setAttribute('role', 'alert');
      told.textContent =
        self.origin === 'null'
          ? 'Tokenyard has not started yet. This frame is sandboxed without allow-same-origin: its scripts load only if their server allows every origin.'
          : 'Tokenyard has not started yet. If it does not, its scripts or its WebAssembly module cannot be loaded: look at the connection, then load the page again.';
      document.body.append(told);
    }
  }, 1000);
})();
