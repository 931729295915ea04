// Why a request was routed to its replica: what the router saw of each replica, the scores, and the regret.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { DASH, percent } from '../../base/units.ts';
import type { Candidate, ScorePart } from '../../generated/boundary.ts';
import { headsOf, regretOf, shownOf } from '../parts/regret.ts';

type Column = {
  readonly head: string;
  readonly value: (c: Candidate) => string | number;
  readonly mark?: (c: Candidate) => Readonly<Record<string, boolean>>;
};

/** The load seen of each replica, for a router without parts of a score. */
const SEEN: readonly Column[] = [
  { head: 'wait', value: (c) => c.waiting },
  { head: 'run', value: (c) => c.running },
  { head: 'in flight', value: (c) => c.in_flight },
  { head: 'KV %', value: (c) => percent(c.kv_used).value },
];

/** The columns of every row; `mark` gives the classes of the cell. */
const OUTCOME: readonly Column[] = [
  { head: 'load seen', value: (c) => c.load },
  { head: 'load true', value: (c) => c.true_load, mark: (c) => ({ t: true, d: c.load !== c.true_load }) },
  {
    head: 'score',
    value: (c) => (c.excluded === undefined ? score(c.score) : DASH),
    mark: () => ({ total: true }),
  },
];

type Props = {
  list: readonly Candidate[];
  /** How the router chose, if it gives no scores. */
  unscored?: string | undefined;
  onReplica: (replica: number) => void;
};

export function Decision(props: Props): JSX.Element {
  const shown = createMemo(() => shownOf(props.list));
  const parts = createMemo(() => props.list[0]?.parts ?? []);
  const heads = createMemo(() => headsOf(parts().map((part) => part.name)));
  const outcome = (): readonly Column[] => (props.unscored === undefined ? OUTCOME : OUTCOME.slice(0, -1));
  const out = createMemo(() => shown().filter((c) => c.excluded !== undefined));
  const regret = createMemo(() => regretOf(props.list));
  /** Whether the score is only the negative load. */
  const minus = createMemo(
    () => props.unscored === undefined && props.list.every((c) => c.excluded !== undefined || c.score === -c.load),
  );
  return (
    <>
      <Show when={parts().length > 0}>
        <ul class="weights">
          <For each={parts()}>
            {(part, i) => (
              <li>
                <span class={`sw-part part-${i() % 3}`} />
                <Show when={part.expression} fallback={sentence(part.name)}>
                  {(text) => <code>{text()}</code>}
                </Show>{' '}
                ×{short(part.weight)}
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
              <Show when={parts().length > 0} fallback={<Heads of={SEEN} />}>
                <For each={parts()}>
                  {(part, i) => (
                    <th scope="col">
                      <abbr title={part.expression ?? sentence(part.name)}>{heads()[i()] ?? part.name}</abbr>
                    </th>
                  )}
                </For>
                <th scope="col">
                  <span class="visually-hidden">Parts of the score</span>
                </th>
              </Show>
              <Heads of={outcome()} />
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
                  <Show when={parts().length > 0} fallback={<Cells of={SEEN} c={c} />}>
                    <For each={c.excluded === undefined ? c.parts : []}>{(part) => <Scored part={part} />}</For>
                    <Show when={c.excluded === undefined} fallback={<td colSpan={parts().length + 1}>{c.excluded}</td>}>
                      <td>
                        <Bar c={c} most={props.list[0]?.score ?? 1} />
                      </td>
                    </Show>
                  </Show>
                  <Cells of={outcome()} c={c} />
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <For each={parts()}>
        {(part, i) => (
          <Show when={(part.summands?.length ?? 0) > 0}>
            <Summands at={i()} part={part} list={shown()} />
          </Show>
        )}
      </For>
      <p class="m foot-note">
        Load = waiting + running + in flight (in flight already includes the other two, so they count twice). True: the
        load at that instant; other signals are kept as the router saw them. <Show when={minus()}>Score = −load. </Show>
        <Show when={parts().length > 0 && !regret()}>The highest score wins. </Show>
        <Show when={parts().length > 0}>Each value, and below it times its weight; the weights add up to 1. </Show>
        <Show when={parts().length === 0 && out().length > 0}>
          Excluded:{' '}
          {out()
            .map((c) => `r${c.replica} (${c.excluded})`)
            .join(', ')}
          .{' '}
        </Show>
        <Show when={props.list.length > shown().length}>
          The best {shown().length} of {props.list.length} replicas.{' '}
        </Show>
        <Show when={props.unscored === undefined} fallback={props.unscored}>
          <Show when={regret()} fallback={`r${props.list.find((c) => c.chosen)?.replica} had the best score.`}>
            {(r) => (
              <>
                r{r().best} scored <b>{score(r().amount)}</b> better; the router did not choose by this score alone.
              </>
            )}
          </Show>
        </Show>
      </p>
    </>
  );
}

/** The summands of an expression for each replica, a column each. */
function Summands(props: { at: number; part: ScorePart; list: readonly Candidate[] }): JSX.Element {
  const able = (): readonly Candidate[] => props.list.filter((c) => c.excluded === undefined);
  return (
    <div class="scores">
      <table class="tbl summands">
        <caption>
          The summands of <code>{props.part.expression}</code>, before the sum is limited to 0 to 1
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Replica</span>
            </th>
            <For each={props.part.summands ?? []}>
              {({ text }) => (
                <th scope="col">
                  <code>{text}</code>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={able()}>
            {(c) => (
              <tr classList={{ pick: c.chosen }}>
                <th scope="row">r{c.replica}</th>
                <For each={c.parts[props.at]?.summands ?? []}>{({ value }) => <td>{short(value)}</td>}</For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}

/** A value and below it its product with the weight. */
function Scored(props: { part: ScorePart }): JSX.Element {
  return (
    <td>
      {short(props.part.value)}
      <span class="product">{short(props.part.product)}</span>
    </td>
  );
}

function Heads(props: { of: readonly Column[] }): JSX.Element {
  return <For each={props.of}>{(column) => <th scope="col">{column.head}</th>}</For>;
}

function Cells(props: { of: readonly Column[]; c: Candidate }): JSX.Element {
  return (
    <For each={props.of}>{(column) => <td classList={column.mark?.(props.c) ?? {}}>{column.value(props.c)}</td>}</For>
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
