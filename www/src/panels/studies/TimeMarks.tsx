// What all charts over the time of two runs show: the warm-up, the part that is not simulated, the edits, the playhead.
import { For, type JSX, Show } from 'solid-js';
import { plain } from '../../base/units.ts';
import type { Scene } from './compareScene.ts';
import { along, EDGE, type Place } from './StudyFigure.tsx';

type Props = { readonly scene: Scene; readonly x: Place; readonly width: number; readonly foot: number };

/** The ground, drawn below the lines. */
export function TimeGround(props: Props): JSX.Element {
  const height = (): number => props.foot - EDGE.top;
  const end = (): number => along(1, props.width);
  return (
    <>
      <Show when={props.scene.warmUpS > 0}>
        <rect
          class="study-warm-up"
          x={props.x(0)}
          y={EDGE.top}
          width={span(props, 0, props.scene.warmUpS)}
          height={height()}
        >
          <title>{`Warm-up up to ${plain(props.scene.warmUpS)} s: not in the figures`}</title>
        </rect>
      </Show>
      <Show when={props.x(props.scene.nowS) < end() - 1}>
        <rect
          class="study-future"
          x={props.x(props.scene.nowS)}
          y={EDGE.top}
          width={Math.max(0, end() - props.x(props.scene.nowS))}
          height={height()}
        />
      </Show>
    </>
  );
}

const span = (props: Props, from: number, to: number): number => Math.max(0, props.x(to) - props.x(from));

/** The lines, drawn above all. */
export function TimeLines(props: Props): JSX.Element {
  return (
    <>
      <For each={props.scene.edits}>
        {(edit) => (
          <path class="study-edit" d={`M${props.x(edit.atS)} ${EDGE.top}V${props.foot}`}>
            <title>{`${plain(edit.atS)} s, ${edit.of}: ${edit.says}`}</title>
          </path>
        )}
      </For>
      <path class="study-playhead" d={`M${props.x(props.scene.nowS)} ${EDGE.top}V${props.foot}`} />
    </>
  );
}
