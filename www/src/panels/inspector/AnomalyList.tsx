// Anomalies in words: of one request or replica, or of the whole run by kind.

import { createMemo, For, type JSX, Show } from 'solid-js';
import { SHOWN_KINDS, shapeOf } from '../../base/anomalies.ts';
import { titled } from '../../base/keyWords.ts';
import { clock, count } from '../../base/units.ts';
import { AnomalyGlyph } from '../../draw/shapes.tsx';
import type { AnomalyKind, AnomalyMark } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';

/** The most lines in a panel; the timeline and the event log have all anomalies. */
const MOST_LINES = 6;

/** A block with the anomalies that `of` picks; empty if there are none. */
export function AnomalyBlock(props: { app: Pick<App, 'transport'>; of: (mark: AnomalyMark) => boolean }): JSX.Element {
  const marks = createMemo(() => props.app.transport.anomalies().filter((a) => props.of(a)));
  return (
    <Show when={marks().length > 0}>
      <div class="blk">
        <div class="blk-head">
          <h2>Anomalies</h2>
          <span class="m">{count(marks().length)}</span>
        </div>
        <For each={marks().slice(0, MOST_LINES)}>
          {(mark) => (
            <button type="button" class="anomaly-line" onClick={() => void props.app.transport.showAnomaly(mark)}>
              <AnomalyGlyph kind={mark.kind} />
              <span>
                <b>{clock(mark.at_us)} s</b> {shapeOf(mark.kind).name}
                <br />
                {mark.label}
              </span>
            </button>
          )}
        </For>
        <Show when={marks().length > MOST_LINES}>
          <p class="m">and {count(marks().length - MOST_LINES)} more on the timeline and in the log</p>
        </Show>
      </div>
    </Show>
  );
}

/** The meaning of the shapes on the timeline, each with its number of anomalies. */
export function AnomalyLegend(props: { marks: readonly AnomalyMark[] }): JSX.Element {
  const of = (kind: AnomalyKind): number => props.marks.filter((a) => a.kind === kind).length;
  return (
    <dl class="list">
      <For each={SHOWN_KINDS}>
        {(kind) => (
          <div>
            <dt title={shapeOf(kind).meaning}>
              <AnomalyGlyph kind={kind} />
              {titled(shapeOf(kind).name)}
            </dt>
            <dd>{count(of(kind))}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}
