// Asks the run all questions of the view at one instant, at most four times a second while it plays.
import { type Accessor, createEffect, on } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type {
  CloseUp,
  Density,
  Ecdf,
  Frame,
  RequestFilter,
  RequestRows,
  SelectionSummary,
  StepPoints,
} from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { boxes, measure, timeWindow } from '../../state/view/closeup.ts';
import { setAnswers, setSummary, sorting } from '../../state/view/density.ts';
import { span } from '../../state/view/span.ts';

const EVERY_MS = 250;
/** While the run plays, questions may take one part in this many of the time: those of a run with a million requests are slow. */
const SHARE = 10;
/** Rows asked for at once: those in sight and some around them. */
export const PAGE_ROWS = 120;
/** About the width of a column of the heat map in pixels. */
const COLUMN = 5;

/** The requests of the view: those of the span that is selected, or of the part of the axis on screen, within the boxes. */
export function filterNow(): RequestFilter {
  const shown = span() ?? timeWindow();
  return {
    from_us: Math.round((shown?.fromS ?? 0) * 1e6),
    to_us: Math.round((shown?.toS ?? 0) * 1e6),
    measured: false,
    boxes: [...boxes()],
  };
}

/** The latest edit in force before now, if it is in the span. */
export function editBefore(frame: Frame | undefined, fromUs: number): number | undefined {
  const before = frame?.flags.filter((f) => f.applied && !f.off && f.at_us > fromUs && f.at_us < frame.now_us);
  return before?.at(-1)?.at_us;
}

type Places = { readonly width: number; readonly firstRow: number };

/** The questions in order, and what follows from them. */
function questions(frame: Frame | undefined, places: Places) {
  const of = measure();
  const filter = filterNow();
  const seen: RequestFilter = { ...filter, boxes: [], measured: true };
  const shown = timeWindow();
  const whole = { from_us: Math.round((shown?.fromS ?? 0) * 1e6), to_us: Math.round((shown?.toS ?? 0) * 1e6) };
  const editUs = editBefore(frame, seen.from_us);
  const isBrushed = filter.boxes.length > 0 || span() !== undefined;
  const offset = Math.max(0, places.firstRow - PAGE_ROWS / 3);
  const { by, descending } = sorting();
  const columns = Math.max(1, Math.round(places.width / COLUMN));
  const several: CloseUp[] = [
    { density: { of, ...whole, columns } },
    { rows: { filter, sort: by, descending, offset, limit: PAGE_ROWS } },
    { points: { from_us: seen.from_us, to_us: seen.to_us === 0 ? (frame?.now_us ?? 0) : seen.to_us } },
    { ecdf: { of, filter: seen } },
    { ecdf: { of, filter: { ...seen, to_us: editUs === undefined ? 1 : editUs - 1 } } },
    ...(isBrushed ? [{ summary: filter }] : []),
  ];
  return { several, filter, offset, editUs };
}

export function createAnswers(app: Pick<App, 'transport' | 'selection'>, places: Accessor<Places>): void {
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    const { several, filter, offset, editUs } = questions(app.transport.writtenFrame(), places());
    const found = await app.selection.closeUps(several).catch(() => undefined);
    due = performance.now() + SHARE * (performance.now() - began);
    if (!found) return;
    const [map, rows, points, ecdf, before, summary] =
      trust<[Density, RequestRows, StepPoints, Ecdf, Ecdf, SelectionSummary | undefined]>(found);
    const known = editUs === undefined ? {} : { before, editS: editUs / 1e6 };
    setAnswers({ map, rows, points, ecdf, before: undefined, editS: undefined, ...known, offset, filter });
    // The account of the latest selection that had requests stays.
    if (summary && summary.these.count > 0) setSummary({ of: filter, found: summary });
  });
  const tick = createThrottled(app.transport.refreshTick, EVERY_MS);
  // What the user does is answered at once.
  createEffect(on([app.transport.playing, boxes, measure, timeWindow, span, sorting, places], ask));
  createEffect(
    on(
      tick,
      () => {
        if (!app.transport.playing() || performance.now() >= due) ask();
      },
      { defer: true },
    ),
  );
}
