// The part of the dialog for sharing that has one request: its sentence, the link that opens with it, its waterfall as a
// picture, and its place in a trace.
import { createResource, createSignal, type JSX, onMount, Show } from 'solid-js';
import { clock } from '../../base/units.ts';
import type { RequestDetail } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { copyText } from '../parts/copyText.ts';
import { PerfettoButtons } from '../parts/PerfettoButtons.tsx';
import { save } from '../parts/save.ts';
import { svgFile } from '../parts/svgFile.ts';
import { Waterfall } from '../parts/Waterfall.tsx';

type Slices = Pick<App, 'document' | 'links' | 'selection'>;

export function ShareRequest(props: { app: Slices }): JSX.Element {
  return (
    <Show
      when={props.app.selection.detail()}
      fallback={<p class="say">Select a request, on the stage or in the log.</p>}
    >
      {(detail) => <OfRequest app={props.app} detail={detail()} />}
    </Show>
  );
}

function OfRequest(props: { app: Slices; detail: RequestDetail }): JSX.Element {
  const { links, selection } = props.app;
  const d = (): RequestDetail => props.detail;
  const name = (): string => `#${d().request}`;
  const [done, setDone] = createSignal('');
  let fall: HTMLDivElement | undefined;
  // One that the page chose is selected: what is shared has it.
  onMount(() => {
    if (selection.selected().request === undefined) selection.select({ request: d().request, replica: undefined });
  });
  const [url] = createResource(
    () => selection.selected().request,
    async () => {
      const made = await links.make({ withView: true }).catch(() => null);
      return made ? location.origin + location.pathname + location.search + made.link : null;
    },
  );
  const copy = async (text: string, what: string): Promise<void> => {
    const allowed = await copyText(Promise.resolve(text));
    setDone(allowed ? `${what} copied.` : 'The browser did not allow copying: select the text and copy it by hand.');
  };
  const savePicture = (): void => {
    const drawing = fall?.querySelector('svg');
    if (!drawing) return;
    const about = { title: `Request ${name()}`, sentences: d().summary, link: url() ?? '' };
    save(`request-${d().request}.svg`, svgFile(drawing, about), 'image/svg+xml');
    setDone(`request-${d().request}.svg saved.`);
  };
  /** From its arrival to its end, or to the present instant. */
  const spanUs = (): readonly [number, number] => [d().arrival_us, Math.max(d().arrival_us + 1, d().until_us)];
  return (
    <div class="share-files share-request">
      <section aria-label="Sentence">
        <h3>{name()}</h3>
        <p class="say">{d().summary}</p>
        <div class="offers">
          <button type="button" class="btn pri" disabled={!url()} onClick={() => void copy(url() ?? '', 'Link')}>
            Copy the link
          </button>
          <button type="button" class="btn box" onClick={() => void copy(`${name()}: ${d().summary}`, 'Sentence')}>
            Copy the sentence
          </button>
        </div>
        <p class="say">
          {url() === null
            ? 'The run is too long for a link: share the file.'
            : `The link opens with ${name()} selected.`}
        </p>
      </section>
      <section aria-label="Picture">
        <div class="share-head">
          <h3>Picture</h3>
        </div>
        <div class="share-fall" ref={fall}>
          <Waterfall detail={d()} />
        </div>
        <div class="offers">
          <button type="button" class="btn box" onClick={savePicture}>
            Save as SVG
          </button>
        </div>
      </section>
      <section aria-label="Trace">
        <div class="share-head">
          <h3>Trace</h3>
          <span class="s">
            {clock(spanUs()[0])} – {clock(spanUs()[1])} s
          </span>
        </div>
        <p class="say">The steps and requests of every replica while it was here: Perfetto opens at this time.</p>
        <PerfettoButtons app={props.app} spanUs={spanUs} />
      </section>
      <p class="share-done" role="status">
        {done()}
      </p>
    </div>
  );
}
