// The stage in the hand: edges that are pulled and requests that are carried to another replica, by pointer or finger. What a drag
// does is one edit when it ends; Escape leaves all as it was. Loaded once the first picture is there.
import { createMemo, createSignal, For, type JSX, onCleanup, onMount, Show, untrack } from 'solid-js';
import { createMedia } from '../base/media.ts';
import type { Frame, ReplicaFrame } from '../generated/boundary.ts';
import { type EdgeGrip, edgeAt, edgesOf, type Grip, requestGripAt, targetAt } from './grips.ts';
import { type Drag, ghostOf, type HandActs, saidOf } from './handDrag.ts';
import { HandPointer } from './handPointer.ts';
import type { Box, StageLayout } from './layout.ts';
import type { Passed } from './notes.ts';
import { dotAt } from './trail.ts';
import './hand.css';

/** What the hand sees of the stage. */
export type HandPlace = {
  readonly sheet: HTMLElement;
  /** The layout of the latest picture, with its frame and the replicas on it; undefined before the first. */
  readonly drawn: () => { readonly layout: StageLayout; readonly drawn: Frame } | undefined;
  readonly replicas: (drawn: Frame) => readonly ReplicaFrame[];
  /** A frame as often as words change. */
  readonly read: () => Frame | undefined;
  readonly width: () => number;
  readonly passed: () => readonly Passed[];
  readonly onRequest: (request: number) => void;
};

export default function Hand(props: { place: HandPlace; acts: HandActs }): JSX.Element {
  const [over, setOver] = createSignal<Grip>();
  const [drag, setDrag] = createSignal<Drag>();
  const coarse = createMedia('(pointer: coarse)');
  const gripAt = (x: number, y: number, touch: boolean): Grip | undefined => gripOf(props, { x, y, touch });
  const target = (x: number, y: number) => {
    const seen = props.place.drawn();
    return seen && targetAt(seen.layout, props.place.replicas(seen.drawn), x, y);
  };
  onMount(() => {
    const { sheet, onRequest } = props.place;
    const acts = (): HandActs => props.acts;
    const pointer = new HandPointer(sheet, { acts, gripAt, targetAt: target, drag, setDrag, setOver, onRequest });
    onCleanup(() => pointer.dispose());
  });
  /** The edges that show their handle: all where a finger cannot hover, else the one under the pointer. */
  const shown = createMemo((): readonly EdgeGrip[] => {
    const held = drag()?.grip ?? over();
    if (held) return held.on === 'request' ? [] : [held];
    if (!coarse() || !props.place.read()) return [];
    return untrack(() => {
      const seen = props.place.drawn();
      return seen ? takeable(props, seen.layout, seen.drawn) : [];
    });
  });
  const ghost = createMemo(() => {
    const held = drag();
    return held && ghostOf(held);
  });
  const said = createMemo(() => saidOf(drag(), over(), props.acts));
  return (
    <div class="hand" aria-hidden="true">
      <For each={shown()}>
        {(edge) => <i class="hand-edge" data-axis={edge.axis} data-on={edge.on} style={boxed(edge.box)} />}
      </For>
      <Show when={drag()?.over}>{(target) => <i class="hand-target" style={boxed(target().box)} />}</Show>
      <Show when={ghost()}>{(g) => <i class="hand-ghost" data-on={drag()?.grip.on} style={boxed(g())} />}</Show>
      <Show when={said()}>
        {(words) => (
          <span
            class="hand-says"
            data-before={words().x > props.place.width() - 240 ? '' : undefined}
            style={{ '--x': `${words().x}px`, '--y': `${words().y}px` }}
          >
            {words().before}
            <Show when={words().after}>
              {(after) => (
                <>
                  {' → '}
                  <b>{after()}</b>
                </>
              )}
            </Show>{' '}
            {words().unit}
          </span>
        )}
      </Show>
    </div>
  );
}

type Props = { readonly place: HandPlace; readonly acts: HandActs };

const boxed = ({ x, y, w, h }: Box): JSX.CSSProperties => ({
  left: `${x}px`,
  top: `${y}px`,
  width: `${w}px`,
  height: `${h}px`,
});

/** The edges of the stage that have something to change. */
function takeable({ place, acts }: Props, layout: StageLayout, drawn: Frame): readonly EdgeGrip[] {
  return edgesOf(layout, place.replicas(drawn), drawn.clients.length).filter(
    (edge) => acts.amountOf(edge) !== undefined,
  );
}

function gripOf(
  props: Props,
  { x, y, touch }: { readonly x: number; readonly y: number; readonly touch: boolean },
): Grip | undefined {
  const seen = props.place.drawn();
  if (!seen) return undefined;
  const { layout, drawn } = seen;
  const replicas = props.place.replicas(drawn);
  const edges = takeable(props, layout, drawn);
  const exact = edgeAt(edges, x, y, 'pointer');
  if (exact?.on === 'kv') return exact;
  const request = requestGripAt(layout, replicas, x, y);
  if (request) return request;
  const dot = dotAt(props.place.passed(), { layout, frame: drawn, replicas }, { x, y, wallMs: performance.now() });
  if (dot !== undefined) return { on: 'request', request: dot, replica: undefined };
  return exact ?? (touch ? edgeAt(edges, x, y, 'finger') : undefined);
}
