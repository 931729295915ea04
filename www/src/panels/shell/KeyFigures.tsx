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
  text,
  usd,
} from '../../base/units.ts';
import { isFew, lastSpan } from '../../base/view.ts';
import { EvidenceGlyph, Icon, type Mark, ObjectiveMark, Q } from '../../draw/glyphs.tsx';
import type { Evidence, Frame, Percentiles, Mark as Standing } from '../../generated/boundary.ts';
import type { WithoutEdit } from '../../state/view/lastEdit.ts';
import { moreFigures, setMoreFigures } from '../../state/view/moreFigures.ts';
import { BeforeEdit, type Was } from '../parts/BeforeEdit.tsx';
import { Deferred } from '../parts/Deferred.tsx';
import { type FigureBasis, figureBasis } from '../parts/evidenceWords.ts';
import { basisOf, isGuess, keyOf, weakest } from '../parts/trustWords.ts';

const FaultFigures = lazy(() => import('./FaultFigures.tsx'));
const SplitFigures = lazy(() => import('./SplitFigures.tsx'));

function markOf(standing: Standing | undefined): Mark {
  return standing === 'none' ? undefined : standing;
}

type Props = {
  frame: Frame | undefined;
  evidence?: Evidence | undefined;
  /** The run without the last edit, which has the figures before it. */
  before?: WithoutEdit | undefined;
  /** Opens the panel that says what the numbers are based on. */
  onRest?: () => void;
};

const NONE: Percentiles = { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 };
const MISSING: Quantity = { value: DASH, unit: '' };

/** How many figures there are beyond the first four: the usual ones, those of faults, and those of roles. */
const FURTHER = { usual: 7, faults: 4, split: 4 } as const;

/** Four figures whose places are fixed, and the button for the others. */
export function KeyFigures(props: Props): JSX.Element {
  const key = () => props.frame?.key;
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  const ttft = (): Percentiles => key()?.ttft ?? NONE;
  const further = (): number =>
    FURTHER.usual + (key()?.faults ? FURTHER.faults : 0) + (props.frame?.split ? FURTHER.split : 0);
  const slo = (): number => key()?.slo_ttft_us ?? 0;
  const held = (): readonly string[] => {
    const waits = props.frame?.counts.held ?? 0;
    return waits > 0 ? [`${count(waits)} at the gateway`] : [];
  };
  const basis = { rest: undefined, onRest: undefined };
  return (
    <section class="kpi" aria-label="Key figures">
      <Deferred>
        <Tail
          title="TTFT p99"
          p={ttft()}
          mark={markOf(key()?.ttft_mark)}
          rest={times()}
          onRest={props.onRest}
          before={props.before && { p: props.before.key.ttft, atS: props.before.fromS }}
          bare
        />
        <Figure {...basis} title="TTFT p50" value={percentileUs(ttft().p50_us, ttft().count)} small={[]} />
        <Figure
          {...basis}
          title={slo() > 0 ? `within ${plain(slo() / 1e6)}${NBSP}s` : 'within objective'}
          value={slo() > 0 && ttft().count > 0 ? percent(key()?.ttft_within ?? 0) : MISSING}
          small={[]}
        />
        <Figure
          {...basis}
          title="waiting"
          value={{ value: props.frame ? count(props.frame.counts.waiting) : DASH, unit: '' }}
          small={held()}
        />
        <p class="kpi-aside">
          <span class="win">{lastSpan(props.frame)}</span>
          <button
            type="button"
            class="btn"
            aria-expanded={moreFigures()}
            onClick={() => setMoreFigures(!moreFigures())}
          >
            {moreFigures() ? 'Less' : `${further()} more`}
            <Icon name={moreFigures() ? 'up' : 'down'} />
          </button>
        </p>
        <Show when={moreFigures()}>
          <span class="kpi-break" />
          <Further {...props} />
        </Show>
      </Deferred>
    </section>
  );
}

/** The figures that are shown when asked for. */
function Further(props: Props): JSX.Element {
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  const cache = createMemo(() => figureBasis(props.evidence, ['blocks']));
  const key = () => props.frame?.key;
  /** Whether a request was scheduled yet; before that there is no cache hit rate. */
  const started = (): boolean => {
    const c = props.frame?.counts;
    return c !== undefined && c.running + c.completed + c.preemptions > 0;
  };
  /** The p99 at the instant of the last edit. */
  const before = (of: 'tpot' | 'e2e'): Before | undefined =>
    props.before && { p: props.before.key[of], atS: props.before.fromS };
  const cpuHits = (): readonly string[] =>
    props.frame?.replicas.some((r) => r.kv.cpu_total > 0) ? [`· CPU ${text(percent(key()?.cpu_hit_rate ?? 0))}`] : [];
  return (
    <>
      <Tail
        title="TPOT p99"
        p={key()?.tpot ?? NONE}
        mark={markOf(key()?.tpot_mark)}
        rest={times()}
        onRest={props.onRest}
        before={before('tpot')}
        itl={key()?.itl ?? NONE}
      />
      <Tail
        title="E2E p99"
        p={key()?.e2e ?? NONE}
        mark={markOf(key()?.e2e_mark)}
        rest={times()}
        onRest={props.onRest}
        before={before('e2e')}
      />
      <Figure
        title="Goodput"
        mark={markOf(key()?.goodput_mark)}
        rest={times()}
        onRest={props.onRest}
        value={{ value: key() ? ratePerS(key()?.goodput_per_s ?? 0).value : DASH, unit: '' }}
        small={key() ? [`of ${ratePerS(key()?.ended_per_s ?? 0).value}${NBSP}ended/s`] : []}
      />
      <Figure
        title="Cache hits"
        rest={cache()}
        onRest={props.onRest}
        value={started() ? percent(key()?.cache_hit_rate ?? Number.NaN, 1) : MISSING}
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
      <Figure
        title="Cost"
        rest={times()}
        onRest={props.onRest}
        value={{ value: costText(key()), unit: '' }}
        small={key()?.usd_per_million_tokens ? ['/M out'] : []}
      />
      <TrustFigure evidence={props.evidence} onRest={props.onRest} />
      <Show when={key()?.faults}>
        {(figures) => (
          <Suspense>
            <FaultFigures figures={figures()} />
          </Suspense>
        )}
      </Show>
      <Show when={props.frame?.split}>
        {(split) => (
          <Suspense>
            <SplitFigures
              itl={key()?.itl ?? NONE}
              mark={markOf(key()?.tpot_mark)}
              split={split()}
              evidence={props.evidence}
              onRest={props.onRest}
            />
          </Suspense>
        )}
      </Show>
    </>
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
      title={parts()?.error === undefined ? 'Evidence' : `${parts()?.small.join(' ')} error`}
      mark={worst() && isGuess(worst()?.class ?? 'fitted') ? 'risk' : undefined}
      rest={rest()}
      onRest={props.onRest}
      value={error()}
      small={[worst()?.class.replace('-', ' ') ?? '']}
    />
  );
}

/** Percentiles at the instant of an edit, which stand beside those of now. */
type Before = { readonly p: Percentiles; readonly atS: number };

export function Tail(props: {
  title: string;
  p: Percentiles;
  mark: Mark;
  rest: FigureBasis | undefined;
  onRest: (() => void) | undefined;
  /** No percentile beside the p99. */
  bare?: boolean;
  /** The time between tokens, shown instead of the median. */
  itl?: Percentiles;
  before?: Before | undefined;
}): JSX.Element {
  const show = (us: number): string => {
    const q = durationUs(us);
    // Small values omit their unit if the large one has the same.
    return q.unit === percentileUs(props.p.p99_us, props.p.count).unit ? q.value : q.value + NBSP + q.unit;
  };
  const few = (): boolean => isFew(props.p.count);
  const small = (): readonly string[] => {
    if (props.itl) return props.itl.count === 0 ? [] : [`ITL ${show(props.itl.p99_us)}`];
    if (props.p.count === 0) return [];
    if (few()) return [`n = ${count(props.p.count)}`];
    return props.bare ? [] : [`p50 ${show(props.p.p50_us)}`];
  };
  const was = (): Was | undefined => {
    const { before } = props;
    if (!before || before.p.count === 0) return undefined;
    return { said: text(percentileUs(before.p.p99_us, before.p.count)), atS: before.atS };
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
      was={was()}
    />
  );
}

export function Figure(props: {
  title: string;
  mark?: Mark;
  rest: FigureBasis | undefined;
  onRest: (() => void) | undefined;
  value: Quantity;
  small: readonly string[];
  few?: boolean;
  was?: Was | undefined;
}): JSX.Element {
  return (
    <div>
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
      </h2>
      <p classList={{ few: props.few ?? false, mi: props.mark === 'miss' && !props.few }}>
        <span>
          <Q q={props.value} />
        </span>
        {/* Values that do not fit are hidden, never cut. */}
        <BeforeEdit was={props.was} />
        <Index each={props.small}>{(part) => <small>{part()}</small>}</Index>
      </p>
    </div>
  );
}
