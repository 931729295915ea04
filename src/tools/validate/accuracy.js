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
  for (const head of document.querySelectorAll('.g thead tr:first-child')) {
    head.append(Object.assign(document.createElement('th'), { textContent: 'Scenario', rowSpan: 2 }));
  }
  let [id, i] = ['', 0];
  for (const row of document.querySelectorAll('.g tbody tr:not(.s)')) {
    id = row.cells[0].textContent || id;
    if (row.classList.contains('n')) continue;
    const own = i++;
    const button = Object.assign(document.createElement('button'), { textContent: 'open', onclick: () => void open(own) });
    button.setAttribute('aria-label', `open ${id} ${row.cells[1].textContent}`);
    row.insertCell().append(button);
  }
} catch {}
