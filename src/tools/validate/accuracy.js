// Adds a button to each row whose scenario is in the blob: it packs the scenario's text into a link and follows it.
// Without DecompressionStream the rows stay as they are.
try {
  const blob = document.getElementById('scenarios');
  new CompressionStream('deflate-raw');
  const through = (bytes, stream) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();
  let read;
  const scenarios = () => {
    read ??= (async () => {
      const bytes = Uint8Array.from(atob(blob.textContent.trim()), (c) => c.charCodeAt(0));
      return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
    })();
    return read;
  };
  const open = async (i) => {
    const text = (await scenarios())[i];
    const bytes = new Uint8Array(await through(new TextEncoder().encode(text), new CompressionStream('deflate-raw')));
    const letters = btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(''));
    location.assign(`${blob.dataset.site}#v1.${letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`);
  };
  document.documentElement.className = 'j';
  for (const head of document.querySelectorAll('.g thead tr:first-child')) {
    head.prepend(Object.assign(document.createElement('th'), { textContent: 'Scenario', rowSpan: 2, className: 'l' }));
  }
  for (const settings of document.querySelectorAll('.g .s th')) settings.colSpan += 1;
  let [id, i] = ['', 0];
  for (const row of document.querySelectorAll('.g tbody tr:not(.s)')) {
    const [name, stage] = [...row.cells].map((cell) => cell.textContent);
    id = name || id;
    const cell = row.insertCell(0);
    if (row.classList.contains('n')) continue;
    const own = i++;
    const button = Object.assign(document.createElement('button'), { textContent: 'open', onclick: () => void open(own) });
    button.setAttribute('aria-label', `open ${id} ${stage}`);
    cell.append(button);
  }
} catch {}
