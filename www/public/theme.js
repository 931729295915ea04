// Runs before the first paint, so that the page never flashes the other theme; and says so where the rest of the page does not come.
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
    if (performance.getEntriesByName('first-frame').length > 0) {
      told?.remove();
      clearInterval(look);
    } else if (document.querySelector('.notice, .foot progress')) {
      // The page says itself what it waits for.
      told?.remove();
      told = undefined;
    } else if (seconds > 4 && !told) {
      told = document.createElement('p');
      told.className = 'unstarted';
      told.role = 'alert';
      told.textContent = `Tokenyard has not started yet. ${
        self.origin === 'null'
          ? 'The sandbox of this frame needs allow-same-origin.'
          : 'Check the connection, then load the page again.'
      }`;
      document.body.append(told);
    }
  }, 1000);
})();
