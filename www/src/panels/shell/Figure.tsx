// A key figure: its name with its mark, its value, and what stands beside them.
import { createMemo, Index, type JSX, Show } from 'solid-js';
import { count, DASH, durationUs, NBSP, percent, percentileUs, type Quantity, text } from '../../base/units.ts';
import { isFew } from '../../base/view.ts';
import { EvidenceGlyph, Icon, type Mark, ObjectiveMark, Q } from '../../draw/glyphs.tsx';
import type { Evidence, Percentiles } from '../../generated/boundary.ts';
import { BeforeEdit, type Was } from '../parts/BeforeEdit.tsx';
import type { FigureBasis } from '../parts/evidenceWords.ts';
import { basisOf, isGuess, keyOf, weakest } from '../parts/trustWords.ts';

/** Takes the figure into the first row, or out of it. */
export type Pin = { readonly pinned: boolean; readonly act: () => void };

/** How far the latencies can be trusted: the class of the weakest pool, and the measured error of its class. */
export function TrustFigure(props: {
  evidence: Evidence | undefined;
  onRest: (() => void) | undefined;
  pin?: Pin | undefined;
}): JSX.Element {
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
      pin={props.pin}
      value={error()}
      small={[worst()?.class.replace('-', ' ') ?? '']}
    />
  );
}

/** Percentiles at the instant of an edit, which stand beside those of now. */
export type Before = { readonly p: Percentiles; readonly atS: number };

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
  pin?: Pin | undefined;
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
      pin={props.pin}
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
  pin?: Pin | undefined;
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
        <Show when={props.pin}>
          {(pin) => (
            <button
              type="button"
              class="rest"
              aria-label={`${pin().pinned ? 'Unpin' : 'Pin'} ${props.title}`}
              title={pin().pinned ? 'Back to the others' : 'Into the first row, where it stays'}
              onClick={() => pin().act()}
            >
              <Icon name={pin().pinned ? 'down' : 'up'} />
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
