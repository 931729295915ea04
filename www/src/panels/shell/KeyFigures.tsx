// The key figures over the latest window, each with the mark of its objective.
import { createMemo, Index, type JSX, lazy, Show, Suspense } from 'solid-js';
import {
  count,
  DASH,
  durationUs,
  NBSP,
  NO_PRICE,
  percent,
  percentileUs,
  plain,
  type Quantity,
  ratePerS,
  signed,
  text,
  usd,
} from '../../base/units.ts';
import { isFew, lastSpan } from '../../base/view.ts';
import { EvidenceGlyph, type Mark, ObjectiveMark, Q } from '../../draw/glyphs.tsx';
import type { Evidence, Frame, Percentiles, Mark as Standing } from '../../generated/boundary.ts';
import type { AroundEdit } from '../../state/view/editFigures.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { type FigureBasis, figureBasis } from '../parts/evidenceWords.ts';
import { basisOf, isGuess, keyOf, weakest } from '../parts/trustWords.ts';

const FaultFigures = lazy(() => import('./FaultFigures.tsx'));
const SplitFigures = lazy(() => import('./SplitFigures.tsx'));

function markOf(standing: Standing | undefined): Mark {
  return standing === 'none' ? undefined : standing;
}

export function KeyFigures(props: {
  frame: Frame | undefined;
  evidence?: Evidence | undefined;
  /** The figures before and after an edit, whose differences are then shown. */
  around?: AroundEdit | undefined;
  /** Opens the panel that says what the numbers are based on. */
  onRest?: () => void;
}): JSX.Element {
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  const cache = createMemo(() => figureBasis(props.evidence, ['blocks']));
  const key = createMemo(() => props.frame?.key);
  /** Waiting requests without a TTFT yet; requests held at the gateway are in no queue. */
  const waits = (): string => {
    const c = props.frame?.counts;
    if (!c) return '';
    if (c.held > 0) return `${count(c.held)} wait at the gateway`;
    return c.waiting > 0 && key()?.ttft.count === 0 ? `${count(c.waiting)} waiting` : '';
  };
  const ended = (): number => key()?.ended_per_s ?? 0;
  const none: Percentiles = { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 };
  /** Whether a request was scheduled yet; before that there is no cache hit rate. */
  const started = (): boolean => {
    const c = props.frame?.counts;
    return c !== undefined && c.running + c.completed + c.preemptions > 0;
  };
  /** The p99 after an edit less that before it. */
  const since = (of: 'ttft_us' | 'tpot_us' | 'e2e_us'): Difference | undefined =>
    props.around && { us: props.around[of][2] ?? null, atUs: props.around.atUs };
  const cpuHits = (): readonly string[] =>
    props.frame?.replicas.some((r) => r.kv.cpu_total > 0) ? [`· CPU ${text(percent(key()?.cpu_hit_rate ?? 0))}`] : [];
  return (
    <section class="kpi" aria-label="Key figures">
      <Deferred>
        <Tail
          title="TTFT p99"
          p={key()?.ttft ?? none}
          mark={markOf(key()?.ttft_mark)}
          rest={times()}
          onRest={props.onRest}
          p90
          difference={since('ttft_us')}
          waits={waits()}
          window={lastSpan(props.frame)}
        />
        <Show when={props.frame?.split}>
          {(split) => (
            <Suspense>
              <SplitFigures
                itl={key()?.itl ?? none}
                mark={markOf(key()?.tpot_mark)}
                split={split()}
                evidence={props.evidence}
                onRest={props.onRest}
              />
            </Suspense>
          )}
        </Show>
        <Show when={!props.frame?.split}>
          <Tail
            title="TPOT p99"
            p={key()?.tpot ?? none}
            mark={markOf(key()?.tpot_mark)}
            rest={times()}
            onRest={props.onRest}
            difference={since('tpot_us')}
            itl={key()?.itl ?? none}
          />
          {/* Figures of faults take its room. */}
          <Show when={!key()?.faults}>
            <Tail
              title="E2E p99"
              p={key()?.e2e ?? none}
              mark={markOf(key()?.e2e_mark)}
              rest={times()}
              onRest={props.onRest}
              difference={since('e2e_us')}
            />
          </Show>
        </Show>
        <Figure
          title="Goodput"
          mark={markOf(key()?.goodput_mark)}
          rest={times()}
          onRest={props.onRest}
          value={{ value: key() ? ratePerS(key()?.goodput_per_s ?? 0).value : DASH, unit: '' }}
          small={key() ? [`of ${ratePerS(ended()).value}${NBSP}ended/s`] : []}
        />
        <Show when={key()?.faults}>
          {(figures) => (
            <Suspense>
              <FaultFigures figures={figures()} />
            </Suspense>
          )}
        </Show>
        <Show when={!props.frame?.split && !key()?.faults}>
          <Figure
            title="Cache hits"
            rest={cache()}
            onRest={props.onRest}
            value={started() ? percent(key()?.cache_hit_rate ?? Number.NaN, 1) : { value: DASH, unit: '' }}
            small={started() ? ['since start', ...cpuHits()] : []}
          />
          <Figure
            title="Preempted"
            rest={cache()}
            onRest={props.onRest}
            mark={(props.frame?.counts.preemptions ?? 0) > 0 ? 'risk' : undefined}
            value={{ value: count(props.frame?.counts.preemptions ?? Number.NaN), unit: '' }}
            small={['since start']}
          />
        </Show>
        <Show when={!key()?.faults}>
          <Figure
            title="Cost"
            rest={times()}
            onRest={props.onRest}
            value={{ value: costText(key()), unit: '' }}
            small={key()?.usd_per_million_tokens ? ['/M out'] : []}
          />
        </Show>
        <TrustFigure evidence={props.evidence} onRest={props.onRest} />
      </Deferred>
    </section>
  );
}

/** The cost of a million output tokens, or why it is not known. */
function costText(figures: Frame['key'] | undefined): string {
  if (!figures) return DASH;
  const cost = figures.usd_per_million_tokens;
  if (cost === undefined) return NO_PRICE;
  return cost > 0 ? usd(cost) : DASH;
}

/** How far the latencies can be trusted: the class of the weakest pool, and the measured error of its class. */
function TrustFigure(props: { evidence: Evidence | undefined; onRest: (() => void) | undefined }): JSX.Element {
  const worst = createMemo(() => weakest(props.evidence?.pools));
  const parts = createMemo(() => {
    const pool = worst();
    return pool ? keyOf(pool) : undefined;
  });
  const error = (): Quantity => {
    const share = parts()?.error;
    const { value, unit } = share === undefined ? { value: DASH, unit: '' } : percent(share, share < 0.0995 ? 1 : 0);
    return { value: share === undefined ? value : `±${value}`, unit };
  };
  const rest = (): FigureBasis | undefined => {
    const pool = worst();
    return pool ? { basis: basisOf(pool.class), says: `${pool.chip}.`, outside: '' } : undefined;
  };
  return (
    <Figure
      class="kpi-trust"
      title={parts()?.error === undefined ? 'Evidence' : `${parts()?.small.join(' ')} error`}
      mark={worst() && isGuess(worst()?.class ?? 'fitted') ? 'risk' : undefined}
      rest={rest()}
      onRest={props.onRest}
      value={error()}
      small={[worst()?.class.replace('-', ' ') ?? '']}
    />
  );
}

/** The difference of a p99 after an edit and before it, in microseconds; null if a side has no requests. */
type Difference = { readonly us: number | null; readonly atUs: number };

export function Tail(props: {
  title: string;
  p: Percentiles;
  mark: Mark;
  rest: FigureBasis | undefined;
  onRest: (() => void) | undefined;
  p90?: boolean;
  waits?: string;
  window?: string;
  /** The time between tokens, shown instead of the median. */
  itl?: Percentiles;
  /** Shown instead of all else. */
  difference?: Difference | undefined;
}): JSX.Element {
  const show = (us: number): string => {
    const q = durationUs(us);
    // Small values omit their unit if the large one has the same.
    return q.unit === percentileUs(props.p.p99_us, props.p.count).unit ? q.value : q.value + NBSP + q.unit;
  };
  const few = (): boolean => isFew(props.p.count);
  const small = (): readonly string[] => {
    const { difference } = props;
    if (difference) {
      const said = difference.us === null ? DASH : text(signed(durationUs(difference.us)));
      return [`${said} by the edit at ${plain(difference.atUs / 1e6)}${NBSP}s`];
    }
    if (props.itl) return props.itl.count === 0 ? [] : [`ITL ${show(props.itl.p99_us)}`];
    if (props.waits) return [props.waits];
    if (props.p.count === 0) return [];
    const last = few() ? `n = ${count(props.p.count)}` : `p50 ${show(props.p.p50_us)}`;
    return props.p90 ? [`p90 ${show(props.p.p90_us)}`, `· ${last}`] : [last];
  };
  return (
    <Figure
      title={props.title}
      mark={props.mark}
      rest={props.rest}
      onRest={props.onRest}
      value={percentileUs(props.p.p99_us, props.p.count)}
      small={small()}
      few={few()}
      window={props.window}
    />
  );
}

export function Figure(props: {
  class?: string;
  title: string;
  mark?: Mark;
  rest: FigureBasis | undefined;
  onRest: (() => void) | undefined;
  value: Quantity;
  small: readonly string[];
  few?: boolean;
  window?: string | undefined;
}): JSX.Element {
  return (
    <div class={props.class}>
      <h2>
        <span>{props.title}</span>
        <ObjectiveMark mark={props.mark} />
        <Show when={props.rest}>
          {(rest) => (
            <button
              type="button"
              class="rest"
              aria-label={`What ${props.title} is based on. ${rest().says} ${rest().outside}`}
              title={`${rest().says} ${rest().outside}`}
              onClick={() => props.onRest?.()}
            >
              <EvidenceGlyph basis={rest().basis} outside={rest().outside !== ''} />
            </button>
          )}
        </Show>
        <Show when={props.window}>
          <span class="win">{props.window}</span>
        </Show>
      </h2>
      <p classList={{ few: props.few ?? false }}>
        <span>
          <Q q={props.value} />
        </span>
        {/* Values that do not fit are hidden, never cut. */}
        <Index each={props.small}>{(part) => <small>{part()}</small>}</Index>
      </p>
    </div>
  );
}
