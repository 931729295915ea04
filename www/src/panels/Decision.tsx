// Why a request went where it went: what the router saw of each replica, what that scored, and what it gave up.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { sentence } from '../base/schema.ts';
import { DASH, percent } from '../base/units.ts';
import type { Candidate } from '../generated/boundary.ts';
import { headsOf, regretOf, shownOf } from './regret.ts';

type Props = { list: readonly Candidate[]; onReplica: (replica: number) => void };

export function Decision(props: Props): JSX.Element {
  const shown = createMemo(() => shownOf(props.list));
  const parts = createMemo(() => props.list[0]?.parts ?? []);
  const heads = createMemo(() => headsOf(parts().map((part) => part.name)));
  const out = createMemo(() => shown().filter((c) => c.excluded !== undefined));
  const regret = createMemo(() => regretOf(props.list));
  return (
    <>
      <Show when={parts().length > 0}>
        <ul class="weights">
          <For each={parts()}>
            {(part, i) => (
              <li>
                <span class={`sw-part part-${i() % 3}`} />
                {sentence(part.name)} ×{short(part.weight)}
              </li>
            )}
          </For>
        </ul>
      </Show>
      <div class="scores">
        <table class="tbl">
          <thead>
            <tr>
              <th scope="col">
                <span class="visually-hidden">Replica</span>
              </th>
              <Show when={parts().length > 0} fallback={<SeenHead />}>
                <For each={parts()}>
                  {(part, i) => (
                    <th scope="col">
                      <abbr title={sentence(part.name)}>{heads()[i()]}</abbr>
                    </th>
                  )}
                </For>
                <th scope="col">
                  <span class="visually-hidden">Parts of the score</span>
                </th>
              </Show>
              <th scope="col">load</th>
              <th scope="col">true</th>
              <th scope="col">score</th>
            </tr>
          </thead>
          <tbody>
            <For each={shown()}>
              {(c) => (
                <tr classList={{ pick: c.chosen, unable: c.excluded !== undefined }}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => props.onReplica(c.replica)}>
                      r{c.replica}
                    </button>
                  </th>
                  <Show when={parts().length > 0} fallback={<Seen c={c} />}>
                    <For each={c.excluded === undefined ? c.parts : []}>
                      {(part) => (
                        <td>
                          {short(part.value)}
                          <span class="product">{short(part.product)}</span>
                        </td>
                      )}
                    </For>
                    <Show when={c.excluded === undefined} fallback={<td colSpan={parts().length + 1}>{c.excluded}</td>}>
                      <td>
                        <Bar c={c} most={props.list[0]?.score ?? 1} />
                      </td>
                    </Show>
                  </Show>
                  <td>{c.load}</td>
                  <td class="t" classList={{ d: c.load !== c.true_load }}>
                    {c.true_load}
                  </td>
                  <td class="total">{c.excluded === undefined ? score(c.score) : DASH}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <p class="m foot-note">
        <Show when={parts().length > 0}>Each value, and below it times its weight; the weights add up to 1. </Show>
        <Show when={parts().length === 0 && out().length > 0}>
          Not to be chosen:{' '}
          {out()
            .map((c) => `r${c.replica} (${c.excluded})`)
            .join(', ')}
          .{' '}
        </Show>
        <Show when={props.list.length > shown().length}>
          The best {shown().length} of {props.list.length} replicas.{' '}
        </Show>
        <Show when={regret()} fallback="No better score than the chosen one.">
          {(r) => (
            <>
              Score regret <b>{score(r().amount)}</b> against r{r().best}.
            </>
          )}
        </Show>
      </p>
    </>
  );
}

function SeenHead(): JSX.Element {
  return (
    <>
      <th scope="col">wait</th>
      <th scope="col">run</th>
      <th scope="col">in flight</th>
      <th scope="col">KV %</th>
    </>
  );
}

function Seen(props: { c: Candidate }): JSX.Element {
  return (
    <>
      <td>{props.c.waiting}</td>
      <td>{props.c.running}</td>
      <td>{props.c.in_flight}</td>
      <td>{percent(props.c.kv_used).value}</td>
    </>
  );
}

/** The score as a bar of its parts; the best one fills it. */
function Bar(props: { c: Candidate; most: number }): JSX.Element {
  const placed = createMemo(() => {
    let x = 0;
    return props.c.parts.map((part) => {
      const w = props.most > 0 ? Math.max(0, (36 * part.product) / props.most) : 0;
      x += w;
      return { x: x - w, w };
    });
  });
  return (
    <svg class="parts" classList={{ pick: props.c.chosen }} width="36" height="6" viewBox="0 0 36 6" aria-hidden="true">
      <For each={placed()}>
        {(bar, i) => <rect class={`part-${i() % 3}`} x={bar.x} y="0" width={bar.w} height="6" />}
      </For>
    </svg>
  );
}

/** A sum of scores with two decimals, so that they line up; a count as it is. */
function score(x: number): string {
  return Number.isInteger(x) && Math.abs(x) > 1 ? short(x) : x.toFixed(2).replace('-', '−');
}

/** Three digits at most and a true minus sign, so that scores line up. */
function short(x: number): string {
  return String(Number(x.toPrecision(Math.abs(x) < 1 ? 2 : 3))).replace('-', '−');
}
