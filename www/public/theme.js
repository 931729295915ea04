// Runs before the first paint, so that the page never flashes the other theme.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem('theme');
  } catch {
    // Storage can be forbidden; the system's preference still holds.
  }
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset.theme = kept === 'dark' || kept === 'light' ? kept : light ? 'light' : 'dark';
})();
