// The parts of a link's view that are drawn over the run: the selected span, the law of theory, the choice of
// charts, and the close-up with its settings.

import type { LatencyBox, LinkView, Measure } from '../generated/boundary.ts';
import { chartList, setChartList } from './chartList.ts';
import {
  AREAS,
  area,
  type BlockColour,
  blockColour,
  boxes,
  measure,
  openReplica,
  setArea,
  setBlockColour,
  setBoxes,
  setMeasure,
  setOpenReplica,
  setTall,
  setTimeWindow,
  tall,
  timeWindow,
} from './closeup.ts';
import { setSpan, span } from './span.ts';
import { setSpanShown, spanShown } from './spanShown.ts';
import { BEST_LAW, setTheoryLaw, theoryLaw } from './theoryLaw.ts';

/** A view that says nothing. */
export const NO_VIEW: LinkView = {
  ...{ at_us: null, speed: null, selection: null, panel: null },
  ...{ span: null, theory: null, charts: [], closeup: [], result: null, study: null },
};

/** Most boxes of the heat map in a link. */
const MOST_BOXES = 4;
const COLOURS: readonly BlockColour[] = ['owner', 'group', 'age', 'references'];
const MEASURES: readonly Measure[] = ['ttft', 'itl', 'e2e'];
const US = 1e6;

const text = (seconds: number): string => String(Number(seconds.toFixed(6)));

/** What is drawn over the run on screen. */
export function drawn(): Pick<LinkView, 'span' | 'theory' | 'charts' | 'closeup'> {
  const selected = spanShown() ? span() : undefined;
  const us = (s: number): number => Math.round(s * US);
  const law = theoryLaw();
  return {
    span:
      selected && us(selected.fromS) < us(selected.toS)
        ? { from_us: us(selected.fromS), to_us: us(selected.toS) }
        : null,
    theory: law === undefined ? null : law === '' ? BEST_LAW : law,
    charts: [...(chartList() ?? [])],
    closeup: closeupWords(),
  };
}

/** The view of the charts' area and its settings, as links have them; none for the charts as they open. */
export function closeupWords(): string[] {
  const [within, replica] = [timeWindow(), openReplica()];
  const settings = [
    ...(tall() ? ['tall'] : []),
    ...(within ? [`window:${text(within.fromS)}-${text(within.toS)}`] : []),
    ...(replica === undefined ? [] : [`replica:${replica}`]),
    ...(blockColour() === 'owner' ? [] : [`colour:${blockColour()}`]),
    ...(measure() === 'ttft' ? [] : [`measure:${measure()}`]),
    ...boxes().slice(0, MOST_BOXES).map(boxText),
  ];
  return area() === 'charts' && settings.length === 0 ? [] : [area(), ...settings];
}

function boxText({ of, from_us, to_us, least_us, most_us }: LatencyBox): string {
  return `box:${of}:${Math.round(from_us)}-${Math.round(to_us)}:${Math.round(least_us)}-${Math.round(most_us)}`;
}

/** Shows what a link says; what it leaves out stays as it is. */
export function showDrawn(view: Partial<Pick<LinkView, 'span' | 'theory' | 'charts' | 'closeup'>>): void {
  // Shown for now; the reader's own choice stays kept.
  if (view.charts && view.charts.length > 0) setChartList(view.charts);
  if (view.span) {
    setSpan({ fromS: view.span.from_us / US, toS: view.span.to_us / US, of: 'e2e' });
    setSpanShown(true);
  }
  if (view.theory) setTheoryLaw(view.theory === BEST_LAW ? '' : view.theory);
  if (view.closeup && view.closeup.length > 0) showCloseup(view.closeup);
}

/** Shows a close-up with its settings; unknown ones, such as those of a later version, are left out. */
export function showCloseup([name, ...settings]: readonly string[]): void {
  setTall(settings.includes('tall'));
  const said = (key: string): string[] =>
    settings.flatMap((word) => (word.startsWith(`${key}:`) ? [word.slice(key.length + 1)] : []));
  setTimeWindow(windowOf(said('window')[0]));
  const replica = /^\d{1,6}$/.exec(said('replica')[0] ?? '');
  setOpenReplica(replica ? Number(replica[0]) : undefined);
  setBlockColour(COLOURS.find((colour) => colour === said('colour')[0]) ?? 'owner');
  setMeasure(MEASURES.find((one) => one === said('measure')[0]) ?? 'ttft');
  setBoxes(said('box').flatMap(boxOf).slice(0, MOST_BOXES));
  setArea(AREAS.find((one) => one === name) ?? 'charts');
}

function windowOf(words: string | undefined): { fromS: number; toS: number } | undefined {
  const [, from, to] = /^(\d{1,9}(?:\.\d{1,6})?)-(\d{1,9}(?:\.\d{1,6})?)$/.exec(words ?? '') ?? [];
  const [fromS, toS] = [Number(from), Number(to)];
  return fromS < toS ? { fromS, toS } : undefined;
}

function boxOf(words: string): LatencyBox[] {
  const [, name, ...ends] = /^(ttft|itl|e2e):(\d{1,15})-(\d{1,15}):(\d{1,15})-(\d{1,15})$/.exec(words) ?? [];
  const of = MEASURES.find((one) => one === name);
  const [from_us = 0, to_us = 0, least_us = 0, most_us = 0] = ends.map(Number);
  return of && from_us <= to_us && least_us <= most_us ? [{ of, from_us, to_us, least_us, most_us }] : [];
}
