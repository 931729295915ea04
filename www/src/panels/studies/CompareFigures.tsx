// The key figures of both runs: A → B, which one is better, and how certain the difference is.

import { For, type JSX, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { keysOf } from '../../base/trust.ts';
import {
  count,
  DASH,
  durationMs,
  NO_PRICE,
  percent,
  type Quantity,
  ratePerS,
  signed,
  text,
  usd,
} from '../../base/units.ts';
import type { Difference, Regret, RunComparison, RunRegret, TotalTable, Verdict } from '../../generated/boundary.ts';
import { TableHead } from '../parts/TableHead.tsx';
import { doubtsOf } from './compareDoubts.ts';
import { rangeText } from './metricText.ts';
import './regret.css';

export type Figure = {
  readonly name: string;
  readonly of: (c: RunComparison) => Difference;
  /** The requests that the verdict is over, if the runs answered different ones. */
  readonly over?: (c: RunComparison) => string | undefined;
  readonly say: (value: number) => Quantity;
  /** The requests that the figure covers, if not obvious. */
  readonly about?: string;
  /** The same in a sentence. */
  readonly title?: string;
  /** Formats a difference, if its unit differs. */
  readonly sayChange?: (value: number) => Quantity;
};

/** A price; one below half a cent with as many digits as it takes. */
const money = (value: number): Quantity => {
  const size = Math.abs(value);
  const said = size > 0 && size < 0.005 ? `$${Number(size.toPrecision(2))}` : usd(size);
  return { value: value < 0 ? `-${said}` : said, unit: '' };
};
const points = (value: number): Quantity => ({ value: percent(value, 1).value, unit: 'points' });

/** Every figure of whole runs, in the order of the list; those without words are left to the command line. */
const TOTALS: Readonly<Record<keyof TotalTable, Omit<Figure, 'of'> | undefined>> = {
  goodput_per_s: { name: 'Goodput', say: ratePerS },
  met_share: {
    name: 'Objectives met',
    about: 'of ended',
    title: 'Of the requests that finished, were refused or dropped; refused and dropped ones have missed',
    say: (v) => percent(v, 1),
    sayChange: points,
  },
  finished_share: undefined,
  output_tokens_per_s: undefined,
  kv_hit_rate: { name: 'Cache hits', say: (v) => percent(v, 1), sayChange: points },
  preemptions: undefined,
  usd_per_million_output_tokens: { name: 'Cost / M output tokens', say: money },
};

export const FIGURES: readonly Figure[] = [
  { name: 'TTFT p99', of: (c) => c.metrics.ttft_ms.p99, over: (c) => c.metrics.ttft_ms.over?.text, say: durationMs },
  { name: 'TTFT p50', of: (c) => c.metrics.ttft_ms.p50, over: (c) => c.metrics.ttft_ms.over?.text, say: durationMs },
  { name: 'E2E p99', of: (c) => c.metrics.e2e_ms.p99, over: (c) => c.metrics.e2e_ms.over?.text, say: durationMs },
  { name: 'TPOT p99', of: (c) => c.metrics.tpot_ms.p99, over: (c) => c.metrics.tpot_ms.over?.text, say: durationMs },
  ...keysOf(TOTALS).flatMap((key) => {
    const figure = TOTALS[key];
    return figure ? [{ ...figure, of: (c: RunComparison) => c.totals[key] }] : [];
  }),
];

export const WORDS: Readonly<Record<Verdict, string>> = {
  better: 'better',
  worse: 'worse',
  'none-shown': 'no difference can be shown',
  unknown: '',
};

export function CompareFigures(props: { comparison: RunComparison | undefined }): JSX.Element {
  return (
    <dl class="compare-figures">
      <For each={FIGURES}>
        {(figure) => {
          const d = (): Difference | undefined => props.comparison && figure.of(props.comparison);
          const say = (side: 'a' | 'b'): string => {
            const value = d()?.[side];
            if (value !== null && value !== undefined) return text(figure.say(value));
            const output = props.comparison?.totals.output_tokens_per_s[side] ?? 0;
            return figure.say === money && output > 0 ? NO_PRICE : DASH;
          };
          const over = (): string => (props.comparison && figure.over?.(props.comparison)) ?? '';
          const change = (value: number): string => changeText(value, figure.sayChange ?? figure.say);
          const ends = (of: Difference): string =>
            of.lo === null || of.hi === null
              ? noInterval(of, props.comparison?.seeds.length ?? 1)
              : intervalText(of.lo, of.hi, figure.sayChange ?? figure.say);
          return (
            <div>
              <dt title={figure.title}>
                {figure.name}
                <Show when={figure.about}>
                  {' '}
                  <span class="s">{figure.about}</span>
                </Show>
              </dt>
              <dd>
                <span class="compare-ab">
                  {say('a')} → <b>{say('b')}</b>
                </span>
                <Show when={d()}>
                  {(found) => (
                    <>
                      <span class={`compare-verdict ${found().verdict}`}>
                        <VerdictGlyph verdict={found().verdict} />{' '}
                        <Show when={found().verdict !== 'none-shown' && found().diff}>
                          <b>{change(found().diff ?? 0)}</b>{' '}
                        </Show>
                        {isSame(found()) ? 'the same in both' : WORDS[found().verdict]} {over()}
                      </span>
                      <Show when={!isSame(found())}>
                        <span class="compare-interval s">
                          <IntervalBar of={found()} />
                          <span>{ends(found())}</span>
                        </span>
                      </Show>
                    </>
                  )}
                </Show>
              </dd>
            </div>
          );
        }}
      </For>
      <For each={props.comparison ? doubtsOf(props.comparison) : []}>
        {(doubt) => (
          <div class="compare-doubt">
            <dt>{doubt.name}</dt>
            <dd>
              <span class="compare-ab">
                {doubt.a.join(' ')} → <b>{doubt.b[0]}</b> {doubt.b[1]}
              </span>
              <span class="compare-verdict none-shown">
                <VerdictGlyph verdict="none-shown" /> not certain
              </span>
              <span class="s">{sentence(doubt.text)}.</span>
            </dd>
          </div>
        )}
      </For>
    </dl>
  );
}

/** A difference with its sign. One that rounds to zero has two significant digits: a zero would deny it. */
export function changeText(value: number, say: (value: number) => Quantity): string {
  const said = signed(say(value));
  if (value === 0 || /[1-9]/.test(said.value)) return text(said);
  const shown = Math.abs(value) * (said.unit === 'points' || said.unit === '%' ? 100 : 1);
  const digits = Number(shown.toPrecision(2));
  const size = digits < 1e-4 ? 'under 0.0001' : String(digits);
  return text({ value: `${value < 0 ? '−' : '+'}${size}`, unit: said.unit });
}

/** Both ends of an interval; with more digits only if both round to zero. */
export function intervalText(lo: number, hi: number, say: (value: number) => Quantity): string {
  const plain = [lo, hi].map((v) => signed(say(v)));
  if (!plain.some(({ value }) => /[1-9]/.test(value))) return rangeText(changeText(lo, say), changeText(hi, say));
  const [from = '', to = ''] = plain.map(text);
  return rangeText(from, to);
}

/** Whether the difference and its interval are zero. */
const isSame = (d: Difference): boolean => d.diff === 0 && (d.lo ?? 0) === 0 && (d.hi ?? 0) === 0;

/** Why there is no interval. */
function noInterval(d: Difference, seeds: number): string {
  if (d.a === null || d.b === null) return '';
  return seeds > 1 ? 'too few values for an interval' : 'its interval needs several seeds';
}

const BAR = 72;

/** The interval as a bar over the zero line: filled if B is better, open if it is worse, grey if it contains zero. */
export function IntervalBar(props: { of: Difference }): JSX.Element {
  const ends = (): readonly [number, number] | undefined =>
    props.of.lo === null || props.of.hi === null ? undefined : [props.of.lo, props.of.hi];
  const most = (): number => Math.max(...(ends() ?? [0]).map(Math.abs), 1e-9);
  const x = (v: number): number => BAR / 2 + (v / most()) * (BAR / 2 - 2);
  return (
    <Show when={ends()}>
      {(range) => (
        <svg class="interval-bar" width={BAR} height="12" viewBox={`0 0 ${BAR} 12`} aria-hidden="true">
          <path class="zero" d={`M${BAR / 2} 0v12`} />
          <rect
            class={props.of.verdict}
            x={x(range()[0])}
            y="3"
            width={Math.max(2, x(range()[1]) - x(range()[0]))}
            height="6"
          />
          <path class="at" d={`M${x(props.of.diff ?? 0)} 1v10`} />
        </svg>
      )}
    </Show>
  );
}

/** Both runs against the oracle, if it ran with the same seeds. */
export function CompareRegret(props: { comparison: RunComparison | undefined }): JSX.Element {
  const rows = (): readonly (readonly [string, RunRegret])[] => {
    const regret = props.comparison?.regret;
    return regret
      ? [
          ['A', regret.a],
          ['B', regret.b],
        ]
      : [];
  };
  const says = (r: Regret, say: (value: number) => string): string =>
    r.regret === null || r.own === null || r.bound === null
      ? DASH
      : `${say(r.own)} (${say(r.bound)}), ${r.regret < 0 ? `${say(-r.regret)} better` : `${say(r.regret)} worse`}`;
  return (
    <Show when={rows().length > 0}>
      <div class="scores compare-regret">
        <table class="tbl">
          <caption>
            <b>Against the oracle</b>, which knows future rates: the bound in brackets, then the regret
          </caption>
          <TableHead
            names={[<span class="visually-hidden">Run</span>, 'objectives met, %', 'replica-seconds', 'cost']}
          />
          <tbody>
            <For each={rows()}>
              {([name, of]) => (
                <tr>
                  <th scope="row">{name}</th>
                  <td>{says(of.attainment_regret, (v) => v.toFixed(1))}</td>
                  <td>{says(of.replica_seconds_regret, count)}</td>
                  <td>{says(of.usd_regret, usd)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
    </Show>
  );
}

/** Why autoscalers are not compared with the oracle, although they should be. */
export function NoOracle(props: { why: string | undefined }): JSX.Element {
  return (
    <Show when={props.why}>
      {(why) => (
        <p class="say no-oracle" role="status">
          <b>Without the oracle:</b> {why()}.
        </p>
      )}
    </Show>
  );
}

/**
 * Better is a disc with a tick, worse a square with a cross, neither is three dots, so that they differ without colour.
 */
export function VerdictGlyph(props: { verdict: Verdict }): JSX.Element {
  const path = (): string =>
    props.verdict === 'better'
      ? 'M3 6l2 2 4-4'
      : props.verdict === 'worse'
        ? 'M4 4l4 4M8 4l-4 4'
        : 'M2 6h1M5.500 6h1M9 6h1';
  return (
    <svg class="verdict-glyph" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <Show when={props.verdict === 'better'}>
        <circle class="ground" cx="6" cy="6" r="6" />
      </Show>
      <Show when={props.verdict === 'worse'}>
        <rect class="ground" width="12" height="12" rx="2" />
      </Show>
      <path class="mark" d={path()} />
    </svg>
  );
}
