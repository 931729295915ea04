// The key figures over the latest window, each with the mark of its objective.
import { createMemo, For, type JSX, lazy, Show, Suspense } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import {
  count,
  DASH,
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
import { lastSpan } from '../../base/view.ts';
import { Icon, type Mark } from '../../draw/glyphs.tsx';
import type { Evidence, Frame, Percentiles, Mark as Standing } from '../../generated/boundary.ts';
import type { WithoutEdit } from '../../state/view/lastEdit.ts';
import {
  FIGURES,
  type FigureName,
  firstFigures,
  isPinned,
  moreFigures,
  pinFigure,
  setMoreFigures,
  unpinFigure,
} from '../../state/view/moreFigures.ts';
import { Deferred } from '../parts/Deferred.tsx';
import { figureBasis } from '../parts/evidenceWords.ts';
import { type Before, Figure, type Pin, Tail, TrustFigure } from './Figure.tsx';

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
/** What a figure is made from, and how it gets its place. */
type Of = Props & { pin?: Pin | undefined };

const NONE: Percentiles = { count: 0, p50_us: 0, p90_us: 0, p99_us: 0 };
const MISSING: Quantity = { value: DASH, unit: '' };

/** How many figures faults and roles have of their own. */
const FURTHER = { faults: 4, split: 4 } as const;

/** Four figures whose places are fixed, and the button for the others. */
export function KeyFigures(props: Props): JSX.Element {
  const others = createMemo(() => FIGURES.filter((name) => !firstFigures().includes(name)));
  const further = (): number =>
    others().length + (props.frame?.key.faults ? FURTHER.faults : 0) + (props.frame?.split ? FURTHER.split : 0);
  /** Pins are set while all figures are shown. */
  const pinOf = (name: FigureName): Pin | undefined => {
    if (!moreFigures()) return undefined;
    if (isPinned(name)) return { pinned: true, act: () => unpinFigure(name) };
    return firstFigures().includes(name) ? undefined : { pinned: false, act: () => pinFigure(name) };
  };
  return (
    <section class="kpi" aria-label="Key figures">
      <Deferred>
        <For each={firstFigures()}>{(name) => <Dynamic component={DRAWN[name]} {...props} pin={pinOf(name)} />}</For>
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
          <For each={others()}>{(name) => <Dynamic component={DRAWN[name]} {...props} pin={pinOf(name)} />}</For>
          <Further {...props} />
        </Show>
      </Deferred>
    </section>
  );
}

/** The figures of what broke and of roles. */
function Further(props: Props): JSX.Element {
  const key = () => props.frame?.key;
  return (
    <>
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

const ttft = ({ frame }: Props): Percentiles => frame?.key.ttft ?? NONE;
const basis = { rest: undefined, onRest: undefined };
/** The p99 at the instant of the last edit. */
const beforeOf = ({ before }: Props, of: 'ttft' | 'tpot' | 'e2e'): Before | undefined =>
  before && { p: before.key[of], atS: before.fromS };

/** Each figure by its name. */
const DRAWN: Readonly<Record<FigureName, (props: Of) => JSX.Element>> = {
  'ttft-p99': (props) => <TailOf {...props} of="ttft" title="TTFT p99" bare />,
  'ttft-p50': (props) => (
    <Figure
      {...basis}
      title="TTFT p50"
      value={percentileUs(ttft(props).p50_us, ttft(props).count)}
      small={[]}
      pin={props.pin}
    />
  ),
  within: (props) => {
    const slo = (): number => props.frame?.key.slo_ttft_us ?? 0;
    return (
      <Figure
        {...basis}
        title={slo() > 0 ? `within ${plain(slo() / 1e6)}${NBSP}s` : 'within objective'}
        value={slo() > 0 && ttft(props).count > 0 ? percent(props.frame?.key.ttft_within ?? 0) : MISSING}
        small={[]}
        pin={props.pin}
      />
    );
  },
  waiting: (props) => {
    const held = (): number => props.frame?.counts.held ?? 0;
    return (
      <Figure
        {...basis}
        title="waiting"
        value={{ value: props.frame ? count(props.frame.counts.waiting) : DASH, unit: '' }}
        small={held() > 0 ? [`${count(held())} at the gateway`] : []}
        pin={props.pin}
      />
    );
  },
  'tpot-p99': (props) => <TailOf {...props} of="tpot" title="TPOT p99" itl={props.frame?.key.itl ?? NONE} />,
  'e2e-p99': (props) => <TailOf {...props} of="e2e" title="E2E p99" />,
  goodput: (props) => <Goodput {...props} />,
  'cache-hits': (props) => <CacheHits {...props} />,
  preempted: (props) => <Preempted {...props} />,
  cost: (props) => <Cost {...props} />,
  evidence: (props) => <TrustFigure evidence={props.evidence} onRest={props.onRest} pin={props.pin} />,
};

function TailOf(
  props: Of & { of: 'ttft' | 'tpot' | 'e2e'; title: string; bare?: boolean; itl?: Percentiles },
): JSX.Element {
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  return (
    <Tail
      title={props.title}
      p={props.frame?.key[props.of] ?? NONE}
      mark={markOf(props.frame?.key[`${props.of}_mark`])}
      rest={times()}
      onRest={props.onRest}
      before={beforeOf(props, props.of)}
      bare={props.bare ?? false}
      {...(props.itl ? { itl: props.itl } : {})}
      pin={props.pin}
    />
  );
}

function Goodput(props: Of): JSX.Element {
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  const key = () => props.frame?.key;
  return (
    <Figure
      title="Goodput"
      mark={markOf(key()?.goodput_mark)}
      rest={times()}
      onRest={props.onRest}
      value={{ value: key() ? ratePerS(key()?.goodput_per_s ?? 0).value : DASH, unit: '' }}
      small={key() ? [`of ${ratePerS(key()?.ended_per_s ?? 0).value}${NBSP}ended/s`] : []}
      pin={props.pin}
    />
  );
}

function CacheHits(props: Of): JSX.Element {
  const cache = createMemo(() => figureBasis(props.evidence, ['blocks']));
  /** Whether a request was scheduled yet; before that there is no cache hit rate. */
  const started = (): boolean => {
    const c = props.frame?.counts;
    return c !== undefined && c.running + c.completed + c.preemptions > 0;
  };
  const key = () => props.frame?.key;
  const cpuHits = (): readonly string[] =>
    props.frame?.replicas.some((r) => r.kv.cpu_total > 0) ? [`· CPU ${text(percent(key()?.cpu_hit_rate ?? 0))}`] : [];
  return (
    <Figure
      title="Cache hits"
      rest={cache()}
      onRest={props.onRest}
      value={started() ? percent(key()?.cache_hit_rate ?? Number.NaN, 1) : MISSING}
      small={started() ? ['since start', ...cpuHits()] : []}
      pin={props.pin}
    />
  );
}

function Preempted(props: Of): JSX.Element {
  const cache = createMemo(() => figureBasis(props.evidence, ['blocks']));
  return (
    <Figure
      title="Preempted"
      rest={cache()}
      onRest={props.onRest}
      mark={(props.frame?.counts.preemptions ?? 0) > 0 ? 'risk' : undefined}
      value={{ value: count(props.frame?.counts.preemptions ?? Number.NaN), unit: '' }}
      small={['since start']}
      pin={props.pin}
    />
  );
}

function Cost(props: Of): JSX.Element {
  const times = createMemo(() => figureBasis(props.evidence, ['steps']));
  return (
    <Figure
      title="Cost"
      rest={times()}
      onRest={props.onRest}
      value={{ value: costText(props.frame?.key), unit: '' }}
      small={props.frame?.key.usd_per_million_tokens ? ['/M out'] : []}
      pin={props.pin}
    />
  );
}

/** The cost of a million output tokens, or why it is not known. */
function costText(figures: Frame['key'] | undefined): string {
  if (!figures) return DASH;
  const cost = figures.usd_per_million_tokens;
  if (cost === undefined) return NO_PRICE;
  return cost > 0 ? usd(cost) : DASH;
}
