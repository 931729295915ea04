// The trace inspector: what was found in a trace, what it is like, what was left out, and what is done to its rows before
// it runs.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { count } from '../../base/units.ts';
import type { TraceChanges, TraceInspection } from '../../sim/traceTypes.ts';
import type { App } from '../../state/app.ts';
import type { OpenedTrace } from '../../state/files/exchange.ts';
import { explain } from '../../state/notices/notices.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Frame } from './Frame.tsx';
import { LengthChart, RateChart, ReuseChart, SessionChart } from './TraceCharts.tsx';
import { TraceFoot } from './TraceFoot.tsx';
import { Workload } from './TraceWorkload.tsx';
import { changedFigures } from './traceFigures.ts';
import { evidenceOf, madeChanges } from './traceWords.ts';
import './export.css';
import './trace.css';

type Slices = Pick<App, 'document'>;

export default function TraceInspector(props: { app: Slices; trace: OpenedTrace; onClose: () => void }): JSX.Element {
  const { file, inspection } = props.trace;
  const [changes, setChanges] = createSignal<TraceChanges>({});
  const [starting, setStarting] = createSignal(false);
  const [host, setHost] = createSignal<HTMLElement>();
  const run = async (): Promise<void> => {
    if (starting() || changed().runs === null) return;
    setStarting(true);
    await props.trace.run(madeChanges(changes()));
    props.onClose();
  };
  const another = (next: File): void => {
    props.onClose();
    void props.app.document.openFile(next);
  };
  const key = (event: KeyboardEvent): void => {
    const isField = event.target instanceof Element && event.target.closest('input, button') !== null;
    if (event.key !== 'Enter' || isField) return;
    event.preventDefault();
    void run();
  };
  const seed = (): number => Number(getAt(props.app.document.current(), 'seed') ?? 0);
  const changed = changedFigures(file, changes, seed);
  return (
    <Frame
      class="trace"
      title="Open a trace"
      aside={`${file.name}, ${count(file.size / 1024)} KiB, stays on this computer; nothing has run yet`}
      onClose={props.onClose}
      onKeyDown={key}
      onFiles={([next]) => next && another(next)}
      first={() => host()?.querySelector<HTMLElement>('.exchange-foot .pri') ?? null}
      ref={setHost}
      tools={
        <FileButton class="btn box" takes="Another trace" onFile={another}>
          Another file
        </FileButton>
      }
      foot={
        <TraceFoot
          trace={inspection}
          changed={changed()}
          seed={seed()}
          starting={starting()}
          onReset={() => setChanges({})}
          onRun={() => void run()}
        />
      }
    >
      <div class="trace-sides">
        <div class="trace-left">
          <Found trace={inspection} />
          <Changes trace={inspection} changes={changes()} onChange={setChanges} />
        </div>
        <Charts trace={inspection} changes={changes()} onChange={setChanges} />
        <section class="trace-right" tabindex={0} aria-label="The workload, and what was left out">
          <Workload trace={inspection} changed={changed()} />
          <LeftOut trace={inspection} />
        </section>
      </div>
    </Frame>
  );
}

function Charts(props: {
  trace: TraceInspection;
  changes: TraceChanges;
  onChange: (changes: TraceChanges) => void;
}): JSX.Element {
  const window = (next: TraceChanges['window']): void =>
    props.onChange({ ...props.changes, ...(next ? { window: next } : {}) });
  return (
    <div class="trace-mid">
      <RateChart trace={props.trace} window={props.changes.window} onWindow={window} />
      <div class="trace-two">
        <LengthChart title="Prompt" of={props.trace.prompt} most={props.changes.max_prompt_tokens} />
        <LengthChart title="Output" of={props.trace.output} most={props.changes.max_output_tokens} />
      </div>
      <div class="trace-two">
        <Show when={props.trace.reuse} fallback={<p class="m trace-none">No two prompts share text.</p>}>
          {(reuse) => <ReuseChart of={reuse()} />}
        </Show>
        <Show when={props.trace.sessions} fallback={<p class="m trace-none">No row names a session.</p>}>
          {(sessions) => <SessionChart of={sessions()} />}
        </Show>
      </div>
    </div>
  );
}

function Found(props: { trace: TraceInspection }): JSX.Element {
  return (
    <section class="export-blk">
      <header>
        <h3>Found</h3>
      </header>
      <dl class="trace-found">
        <For each={evidenceOf(props.trace)}>
          {(one) => (
            <div>
              <dt>{one.name}</dt>
              <dd>
                <b>{one.value}</b>
                <span class={one.doubtful ? 'wa' : 'm'}>
                  {one.doubtful ? '◆ ' : '✓ '}
                  {one.why}
                </span>
              </dd>
            </div>
          )}
        </For>
      </dl>
      <Show when={props.trace.found.not_read.length > 0}>
        <p class="m">Not read: {props.trace.found.not_read.join(', ')}</p>
      </Show>
    </section>
  );
}

type Numbers = Exclude<keyof TraceChanges, 'window'>;

/** The changes that are numbers: their name, unit, what one unit is in the document, and the value of a trace as it is. */
const NUMBERS: readonly (readonly [key: Numbers, name: string, unit: string, times: number, none: string])[] = [
  ['speed', 'Rate', '×', 1, '1'],
  ['subsample', 'Subsample', '%', 0.01, '100'],
  ['max_prompt_tokens', 'Prompt at most', 'tokens', 1, 'none'],
  ['max_output_tokens', 'Output at most', 'tokens', 1, 'none'],
  ['jitter_s', 'Jitter', 's', 1, '0'],
];

function Changes(props: {
  trace: TraceInspection;
  changes: TraceChanges;
  onChange: (changes: TraceChanges) => void;
}): JSX.Element {
  const made = () => madeChanges(props.changes);
  const set = (key: Numbers, typed: string, times: number): void => {
    const typedValue = Number(typed) * times;
    const value = key.endsWith('_tokens') ? Math.round(typedValue) : typedValue;
    const { [key]: _, ...rest } = props.changes;
    props.onChange(typed.trim() !== '' && Number.isFinite(value) && value >= 0 ? { ...rest, [key]: value } : rest);
  };
  const shown = (key: Numbers, times: number): string => {
    const value = props.changes[key];
    return value === undefined ? '' : String(Number((value / times).toPrecision(6)));
  };
  const setWindow = (part: 'start_s' | 'length_s', typed: string): void => {
    const lasts = props.trace.summary.duration_s;
    const before = props.changes.window ?? { start_s: 0, length_s: lasts };
    const value = Number(typed);
    if (typed.trim() === '' || !Number.isFinite(value) || value < 0) return;
    props.onChange({ ...props.changes, window: { ...before, [part]: value } });
  };
  return (
    <section class="export-blk">
      <header>
        <h3>Changes</h3>
        <span class="m">{count(Object.keys(made()).length)}, in this order</span>
      </header>
      <For
        each={
          [
            ['start_s', 'Window from'],
            ['length_s', 'Window length'],
          ] as const
        }
      >
        {([part, name]) => (
          <label class="trace-change" classList={{ chg: made().window !== undefined }}>
            <span>{name}</span>
            <span class="in">
              <input
                inputMode="decimal"
                placeholder={part === 'start_s' ? '0' : 'all'}
                value={props.changes.window ? String(Number(props.changes.window[part].toPrecision(8))) : ''}
                onChange={(event) => setWindow(part, event.currentTarget.value)}
              />
              <i>s</i>
            </span>
          </label>
        )}
      </For>
      <For each={NUMBERS}>
        {([key, name, unit, times, none]) => (
          <label class="trace-change" classList={{ chg: made()[key] !== undefined }}>
            <span>{name}</span>
            <span class="in">
              <input
                inputMode="decimal"
                placeholder={none}
                value={shown(key, times)}
                onChange={(event) => set(key, event.currentTarget.value, times)}
              />
              <i>{unit}</i>
            </span>
          </label>
        )}
      </For>
    </section>
  );
}

function LeftOut(props: { trace: TraceInspection }): JSX.Element {
  const odd = () => props.trace.found.odd;
  const rows = (): number => odd().reduce((sum, one) => sum + (one.left_out ? one.rows : 0), 0);
  return (
    <section class="export-blk">
      <header>
        <h3>Left out</h3>
        <span class="m">
          {count(rows())} of {count(props.trace.found.lines)} lines
        </span>
      </header>
      <Show when={odd().length > 0} fallback={<p class="m">Every row is read.</p>}>
        <ul class="trace-odd">
          <For each={odd()}>
            {(one) => (
              <li>
                <span>
                  {one.why}
                  {one.left_out ? '' : ' (kept)'}
                </span>
                <b>{count(one.rows)}</b>
                <code class="m">
                  {one.lines.join(' ')}
                  {one.rows > one.lines.length ? ' …' : ''}
                </code>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <For each={props.trace.problems}>{(problem) => <p class="wa">{explain(problem)}</p>}</For>
      <p class="m">
        Digest of the rows: <code>{props.trace.summary.digest}</code>
      </p>
    </section>
  );
}
