// Files of the run: rows, a trace for Perfetto, a page of HTML, streamed from a thread that repeats the run; its report, the
// account of its slow requests, and its scenario as configuration of other programs. The same bytes as the command line's.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { durationUs, text } from '../../base/units.ts';
import { ROW_FORMATS, ROW_TABLES, type RowFormat, type RowTable } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { askExchange } from '../../state/files/exchange.ts';
import { askWhyAsMarkdown } from '../../state/studies/whatIf.ts';
import { PerfettoButtons } from '../parts/PerfettoButtons.tsx';
import { save } from '../parts/save.ts';
import { type AskedFile, kibibytes, TakeAway } from '../parts/takeAway.ts';

type Slices = Pick<App, 'document' | 'links' | 'selection' | 'transport'>;

/** The slow requests: those above this percentile. */
const ABOVE = 99;

const WHAT: Readonly<Record<RowTable, string>> = {
  requests: 'a row for each request: its times, tokens, replica and reason of refusal',
  decisions: 'a row for each routing decision and candidate: what the router saw and scored',
  events: 'a row for each event, in order',
  series: 'a row for each bucket of time, of the cluster and of each replica',
  scaling: 'a row for each decision of an autoscaler: measurements, wanted replicas and rule',
};

export function ShareFiles(props: { app: Slices }): JSX.Element {
  const [table, setTable] = createSignal<RowTable>('requests');
  const [format, setFormat] = createSignal<RowFormat>('csv');
  const takeHome = (): void => {
    props.app.links.setSharing(false);
    askExchange({ kind: 'export' });
  };
  return (
    <div class="share-files">
      <section class="rows-block" aria-label="Rows">
        <div class="share-head">
          <h3>Rows</h3>
          <span class="s">from start to end</span>
        </div>
        <p class="say">For a spreadsheet or a notebook: {WHAT[table()]}. The command line writes the same bytes.</p>
        <Download app={props.app} label="Download" asked={() => ({ table: table(), format: format() })}>
          <select
            class="in"
            aria-label="Rows of"
            onChange={(event) => setTable(ROW_TABLES[event.currentTarget.selectedIndex] ?? 'requests')}
          >
            <For each={ROW_TABLES}>{(name) => <option selected={name === table()}>{sentence(name)}</option>}</For>
          </select>
          <select
            class="in"
            aria-label="Written as"
            onChange={(event) => setFormat(ROW_FORMATS[event.currentTarget.selectedIndex] ?? 'csv')}
          >
            <For each={ROW_FORMATS}>{(name) => <option selected={name === format()}>{name.toUpperCase()}</option>}</For>
          </select>
        </Download>
      </section>
      <section class="trace-block" aria-label="Trace">
        <div class="share-head">
          <h3>Trace</h3>
          <span class="s">from start to end</span>
        </div>
        <p class="say">
          A trace shows every step and request on a timeline, at ui.perfetto.dev or in any other reader of Chrome's
          trace events.
        </p>
        <PerfettoButtons app={props.app} />
      </section>
      <section class="page-block" aria-label="Page">
        <div class="share-head">
          <h3>Page</h3>
          <span class="s">from start to end</span>
        </div>
        <p class="say">One HTML file with key figures, charts, tables and the scenario opens offline.</p>
        <Download
          app={props.app}
          label="Save as HTML"
          asked={() => ({ table: 'page', format: 'html', link: location.href })}
        />
      </section>
      <Reports app={props.app} />
      <section aria-label="Configuration">
        <div class="share-head">
          <h3>Configuration</h3>
        </div>
        <p class="say">
          The scenario as files of other programs: an endpoint picker, vLLM, Dynamo, SMG, autoscalers, simulators.
        </p>
        <div class="offers">
          <button type="button" class="btn box" onClick={takeHome}>
            Take the policy home…
          </button>
        </div>
      </section>
    </div>
  );
}

/** The report of the run so far, and why its slow requests are slow. */
function Reports(props: { app: Slices }): JSX.Element {
  const { links, selection, transport } = props.app;
  const [status, setStatus] = createSignal('');
  const saveReport = async (): Promise<void> => {
    const { json } = await selection.report();
    save('report.json', await links.linked(json));
  };
  const saveAccount = async (): Promise<void> => {
    setStatus('Running to the present instant for the account…');
    const until_us = transport.frame()?.now_us ?? 0;
    const answer = await askWhyAsMarkdown(props.app, { time: 'e2e', above: ABOVE, by: 'end', until_us });
    setStatus('trouble' in answer ? answer.trouble : '');
    if ('found' in answer) save('why-slow.md', answer.found, 'text/markdown');
  };
  return (
    <section aria-label="Report">
      <div class="share-head">
        <h3>Report</h3>
        <span class="s">up to {text(durationUs(transport.throttledFrame()?.now_us ?? 0))}</span>
      </div>
      <p class="say">
        All figures as JSON with their digest; and where the time of the requests above p{ABOVE} went, in words.
      </p>
      <div class="offers">
        <button type="button" class="btn box" onClick={() => void saveReport()}>
          Save the report
        </button>
        <button type="button" class="btn box" onClick={() => void saveAccount()}>
          Save why slow requests are slow
        </button>
      </div>
      <p class="m" role="status">
        {status()}
      </p>
    </section>
  );
}

/** A button that makes a file and saves it, with its progress. */
function Download(props: {
  app: Pick<App, 'document'>;
  label: string;
  asked: () => AskedFile;
  children?: JSX.Element;
}): JSX.Element {
  /** The progress of the run for the file, while there is one. */
  const [atUs, setAtUs] = createSignal<number>();
  const [status, setStatus] = createSignal('');
  const away = new TakeAway(props.app, setAtUs);
  onCleanup(() => away.end());

  async function download(): Promise<void> {
    setStatus('');
    const asked = props.asked();
    const made = await away.make(asked);
    if (!made) return;
    if ('trouble' in made) setStatus(made.trouble);
    else {
      save(made.name, made.file, asked.format === 'html' ? 'text/html' : 'text/plain');
      setStatus(`${made.name}: ${kibibytes(made.file)}`);
    }
  }

  return (
    <>
      <div class="offers">
        {props.children}
        <Show
          when={atUs() !== undefined}
          fallback={
            <button type="button" class="btn box" onClick={() => void download()}>
              {props.label}
            </button>
          }
        >
          <button type="button" class="btn box" onClick={() => away.end()}>
            Cancel
          </button>
        </Show>
      </div>
      <p class="m" role="status">
        <Show when={atUs() !== undefined} fallback={status()}>
          Running to {text(durationUs(atUs() ?? 0))} for the file…
        </Show>
      </p>
    </>
  );
}
