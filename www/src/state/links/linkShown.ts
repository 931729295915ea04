// Shows the parts of a link's view that linkView.ts reads off the page. Loaded with a link that has them.
import { MEASURES } from '../../base/latencies.ts';
import type { LatencyBox, LinkView } from '../../generated/boundary.ts';
import { unfold } from '../view/calm.ts';
import { setChartList } from '../view/chartList.ts';
import {
  AREAS,
  BLOCK_COLOURS,
  setArea,
  setBlockColour,
  setBoxes,
  setMeasure,
  setOpenReplica,
  setTall,
  setTimeWindow,
} from '../view/closeup.ts';
import { setSpan } from '../view/span.ts';
import { setSpanShown } from '../view/spanShown.ts';
import { BEST_LAW, setTheoryLaw } from '../view/theoryLaw.ts';
import { MOST_BOXES } from './linkView.ts';

const US = 1e6;

/** Shows what a link says; what it leaves out stays as it is. */
export function showDrawn(view: Partial<Pick<LinkView, 'span' | 'theory' | 'charts' | 'closeup'>>): void {
  // Shown for now; the reader's own choice stays kept.
  if (view.charts && view.charts.length > 0) {
    setChartList(view.charts);
    unfold();
  }
  if (view.span) {
    setSpan({ fromS: view.span.from_us / US, toS: view.span.to_us / US, of: 'e2e' });
    setSpanShown(true);
  }
  if (view.theory) setTheoryLaw(view.theory === BEST_LAW ? '' : view.theory);
  if (view.closeup && view.closeup.length > 0) showCloseup(view.closeup);
}

/** Shows a close-up with its settings; unknown ones, such as those of a later version, are left out. */
export function showCloseup([name, ...settings]: readonly string[]): void {
  const said = (key: string): string[] =>
    settings.flatMap((word) => (word.startsWith(`${key}:`) ? [word.slice(key.length + 1)] : []));
  setTimeWindow(windowOf(said('window')[0]));
  const replica = /^\d{1,6}$/.exec(said('replica')[0] ?? '');
  setOpenReplica(replica ? Number(replica[0]) : undefined);
  setBlockColour(BLOCK_COLOURS.find((colour) => colour === said('colour')[0]) ?? 'owner');
  setMeasure(MEASURES.find((one) => one === said('measure')[0]) ?? 'ttft');
  setBoxes(said('box').flatMap(boxOf).slice(0, MOST_BOXES));
  const area = AREAS.find((one) => one === name) ?? 'charts';
  setArea(area);
  setTall(area === 'charts' ? settings.includes('tall') : !settings.includes('stage'));
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
