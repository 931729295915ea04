// The table behind the lanes: figures of every replica in the window, and the slices of one of them. Loaded when it is opened.
import { createMemo, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import { count, DASH, durationUs, text } from '../../base/units.ts';
import { isFew } from '../../base/view.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { Lanes } from '../../generated/boundary.ts';

const MOST_ROWS = 240;
const of = (us: number | null): string => (us === null ? DASH : text(durationUs(us)));

export default function LanesTable(props: {
  readonly lanes: Lanes | undefined;
  readonly onChoose: (replica: number, seq: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  let close: HTMLButtonElement | undefined;
  const shown = createThrottled(() => props.lanes, 1000);
  const [replica, setReplica] = createSignal<number>();
  const one = (): number => replica() ?? shown()?.open?.replica ?? 0;
  onMount(() => close?.focus());
  return (
    <section
      class="chart-table"
      aria-label="Lanes as a table"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        props.onClose();
      }}
    >
      <header>
        <b>Lanes</b>
        <button type="button" ref={close} onClick={() => props.onClose()}>
          Close table
        </button>
      </header>
      <table>
        <caption>Steps that began in the window, by replica.</caption>
        <thead>
          <tr>
            <For each={['replica', 'steps', 'p50', 'p99', 'tokens out', 'prompt tokens']}>
              {(name) => <th scope="col">{name}</th>}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={shown()?.lanes ?? []}>
            {({ replica: id, totals }) => (
              <tr>
                <td>
                  <button type="button" aria-pressed={one() === id} onClick={() => setReplica(id)}>
                    r{id}
                  </button>
                </td>
                <td>{count(totals.steps)}</td>
                <td>{of(totals.p50_us)}</td>
                <td classList={{ few: isFew(totals.steps) }}>{of(totals.p99_us)}</td>
                <td>{count(totals.output_tokens)}</td>
                <td>{count(totals.prompt_tokens)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Slices lanes={shown()} replica={one()} onChoose={props.onChoose} />
    </section>
  );
}

function Slices(props: {
  readonly lanes: Lanes | undefined;
  readonly replica: number;
  readonly onChoose: (replica: number, seq: number) => void;
}): JSX.Element {
  const steps = createMemo(() => props.lanes?.lanes[props.replica]?.steps);
  const rows = createMemo(() => (steps()?.seq ?? []).slice(-MOST_ROWS));
  const first = (): number => (steps()?.seq.length ?? 0) - rows().length;
  /** Of a rank also what it waited for the slowest. */
  const waited = (): readonly string[] => (steps()?.wait_us ? ['waited'] : []);
  const merged = (): boolean => steps()?.steps.some((n) => n > 1) ?? false;
  return (
    <table>
      <caption>
        <Show when={rows().length > 0} fallback={`r${props.replica} has no step in view.`}>
          {merged()
            ? `Steps of r${props.replica}, neighbours together.`
            : `Steps of r${props.replica}, the latest last.`}
        </Show>
      </caption>
      <thead>
        <tr>
          <For each={['step', 'time s', 'took', 'for prompts', 'prompt tokens', 'decoding', ...waited()]}>
            {(name) => <th scope="col">{name}</th>}
          </For>
        </tr>
      </thead>
      <tbody>
        <For each={rows()}>
          {(seq, k) => {
            const at = <K extends 'at_us' | 'span_us' | 'prefill_us' | 'prompt_tokens' | 'decode'>(name: K): number =>
              steps()?.[name][first() + k()] ?? 0;
            return (
              <tr>
                <td>
                  <button type="button" onClick={() => props.onChoose(props.replica, seq)}>
                    {count(seq)}
                  </button>
                </td>
                <td>{(at('at_us') / 1e6).toFixed(3)}</td>
                <td>{of(at('span_us'))}</td>
                <td>{of(at('prefill_us'))}</td>
                <td>{count(at('prompt_tokens'))}</td>
                <td>{count(at('decode'))}</td>
                <For each={waited()}>{() => <td>{of(steps()?.wait_us?.[first() + k()] ?? null)}</td>}</For>
              </tr>
            );
          }}
        </For>
      </tbody>
    </table>
  );
}
