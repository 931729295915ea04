// Tokens computed again over the oracle's, a bar for each policy, of runs with the same draws.
import { For, type JSX, Show } from 'solid-js';
import { count, DASH, short } from '../../base/units.ts';
import type { KvPolicyRegret } from '../../generated/boundary.ts';
import type { KvRegret } from '../../state/studies/kvRegret.ts';

export function Regret(props: {
  of: KvRegret;
  /** The scenario on screen, with its edits. */
  scenario: string;
  /** The policy that it has. */
  now: string | undefined;
}): JSX.Element {
  const of = props.of;
  const oracle = (): KvPolicyRegret | undefined => of.rows().find((row) => row.policy === 'oracle');
  const isOld = (): boolean => of.rows().length > 0 && of.scenario() !== props.scenario;
  return (
    <section class="session-regret" aria-label="Regret">
      <h3>Regret</h3>
      <p class="m">
        <Show when={oracle()} fallback="Tokens computed again, over the oracle's.">
          {(row) => <>Tokens computed again, over the oracle's {short(row().again_tokens)}.</>}
        </Show>
      </p>
      <Show when={of.rows().length > 0}>
        <table>
          <thead class="visually-hidden">
            <tr>
              <th>Policy</th>
              <th>Tokens over the oracle's</th>
            </tr>
          </thead>
          <tbody>
            <For each={of.rows()}>{(row) => <Bar row={row} isNow={row.name === props.now} />}</For>
          </tbody>
        </table>
        <Show when={!of.running() && of.rows().every((row) => (row.over_tokens ?? 0) <= 0)}>
          <p>No policy computes more again than the oracle. What differs is how much they load.</p>
        </Show>
        <p class="m">
          A run of the whole scenario for each policy, with the same draws. The oracle knows when each block is used
          next; it is a bound for equal times, not for every run.
        </p>
      </Show>
      <Show when={isOld()}>
        <p class="m">The scenario has changed since.</p>
      </Show>
      <p class="session-regret-tools" aria-live="polite">
        <Show
          when={of.running()}
          fallback={
            <button type="button" class="btn box" onClick={() => void of.start(props.scenario)}>
              {of.rows().length > 0 ? 'Run again' : 'Run each policy'}
            </button>
          }
        >
          <button type="button" class="btn box" onClick={() => of.stop()}>
            Cancel
          </button>
          <span class="m">
            {count(of.progress()?.done ?? 0)} of {count(of.progress()?.of ?? 0)} runs
          </span>
        </Show>
      </p>
      <Show when={of.trouble()}>
        <p role="alert">{of.trouble()}</p>
      </Show>
    </section>
  );
}

function Bar(props: { row: KvPolicyRegret; isNow: boolean }): JSX.Element {
  const over = (): string => {
    const tokens = props.row.over_tokens;
    if (tokens === null) return DASH;
    return tokens > 0 ? `+${short(tokens)}` : tokens < 0 ? `−${short(-tokens)}` : '0';
  };
  return (
    <tr classList={{ now: props.isNow }}>
      <th scope="row">{props.row.name}</th>
      <td class="bar">
        <span style={{ width: `${Math.max(props.row.share * 100, 1)}%` }} />
        <Show when={props.row.loaded_blocks > 0}>
          <small>{short(props.row.loaded_blocks)} blocks loaded</small>
        </Show>
      </td>
      <td class="n">{over()}</td>
    </tr>
  );
}
