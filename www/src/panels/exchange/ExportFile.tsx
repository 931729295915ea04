// A written file, line by line, as it is or against the imported one.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import { Segments } from '../parts/Segments.tsx';
import { fileSaid, numbered, type Written } from './exporting.ts';

type Way = 'file' | 'against';

const SIGNS: Readonly<Record<string, string>> = { added: '+', removed: '−' };
const SPOKEN: Readonly<Record<string, string>> = { added: 'added: ', removed: 'taken away: ' };

export function ExportFile(props: { written: Written; onCopy: () => void; onSave: () => void }): JSX.Element {
  const [way, setWay] = createSignal<Way>('against');
  const file = () => props.written.file;
  const lines = () => numbered(file(), props.written.beside && way() === 'against');
  return (
    <section class="export-file" aria-label="The file">
      <div class="exchange-bar">
        <h3 class="s">{file().file_name}</h3>
        <span class="m">{fileSaid(file())}</span>
        <span class="grow" />
        <Show when={props.written.beside}>
          <Segments
            label="Show the file"
            options={[
              ['file', 'File'],
              ['against', 'Against import'],
            ]}
            chosen={way()}
            onChoose={setWay}
          />
        </Show>
        <button type="button" class="btn box" title="Copy the file (Ctrl + C)" onClick={() => props.onCopy()}>
          <Icon name="copy" />
          Copy
        </button>
        <button type="button" class="btn box" title="Save the file (Ctrl + S)" onClick={() => props.onSave()}>
          <svg class="icon" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <path d="M7 1.500v7.500M4 6.500l3 3 3-3M1.500 11.500h11" />
          </svg>
          Save
        </button>
      </div>
      <section class="export-code" tabindex={0} aria-label={file().file_name}>
        <For each={lines()}>
          {(line) => (
            <div class="export-line" classList={{ [line.mark]: true }}>
              <i aria-hidden="true">{line.number}</i>
              <em aria-hidden="true">{SIGNS[line.mark] ?? ''}</em>
              <span class="export-text">
                <span class="visually-hidden">{SPOKEN[line.mark] ?? ''}</span>
                <Words text={line.text} plain={line.mark === 'comment'} />
              </span>
            </div>
          )}
        </For>
      </section>
    </section>
  );
}

/** A line with its key in a lighter ink than its value. */
function Words(props: { text: string; plain: boolean }): JSX.Element {
  const cut = (): readonly [string, string] => {
    if (props.plain) return ['', props.text];
    if (/^\s*#/.test(props.text)) return [props.text, ''];
    const key = /^[\s-]*[\w./-]+:(?=\s|$)|^\s*--[\w-]+/.exec(props.text)?.[0] ?? '';
    return [key, props.text.slice(key.length)];
  };
  return (
    <>
      <span class="m">{cut()[0]}</span>
      {cut()[1]}
    </>
  );
}
