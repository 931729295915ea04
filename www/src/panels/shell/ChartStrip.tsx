// Asks the run for the heat map of TTFT below the charts, as often as the other charts change.
import { createEffect, createSignal, type JSX, on } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import type { RequestMarks, ViewColumns } from '../../base/view.ts';
import type { Strip } from '../../charts/Charts.tsx';
import DensityStrip from '../../charts/DensityStrip.tsx';
import { tableOf } from '../../charts/stripPicture.ts';
import type { Density } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { askChartTools } from '../../state/view/chartMenu.ts';
import { timeWindow } from '../../state/view/closeup.ts';

/** About the width of a column in pixels. */
const COLUMN = 4;
/** A question may take one part in this many of the time. */
const SHARE = 20;

export default function ChartStrip(props: {
  app: Pick<App, 'transport' | 'selection' | 'document'>;
  place: Strip;
  marks: RequestMarks | undefined;
  onTable: (data: ViewColumns | undefined) => void;
}): JSX.Element {
  const app = props.app;
  const [cells, setCells] = createSignal<Density>();
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    if (app.transport.mode() !== 'paused' && began < due) return;
    const shown = timeWindow();
    const query = {
      of: 'ttft' as const,
      from_us: Math.round((shown?.fromS ?? 0) * 1e6),
      to_us: Math.round((shown?.toS ?? 0) * 1e6),
      columns: Math.max(1, Math.round(props.place.width / COLUMN)),
    };
    const found = await app.selection.closeUp('density', query).catch(() => undefined);
    setCells(found);
    due = performance.now() + SHARE * (performance.now() - began);
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, timeWindow, () => props.place.width], ask));
  // Another document has other data, and axes of its own.
  createEffect(() => {
    if (app.transport.data()['ttft-over-time'] === undefined) setCells(undefined);
  });
  return (
    <DensityStrip
      place={props.place}
      cells={cells()}
      frame={app.transport.writtenFrame()}
      warmUpS={app.document.warmUpS() ?? 0}
      mark={props.marks?.ttft && { atS: props.marks.ttft.atS, value: props.marks.ttft.ms }}
      cursorS={app.selection.cursorS()}
      onCursor={app.selection.setCursorS}
      onTools={askChartTools}
      onTable={() => {
        const now = cells();
        props.onTable(now && tableOf(now));
      }}
    />
  );
}
