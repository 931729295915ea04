// The picture of the tiers.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, percent, sig3, text } from '../../base/units.ts';
import type { Tiers } from '../../generated/boundary.ts';
import { KEPT, KeptPattern } from '../parts/KeptPattern.tsx';
import { tierNames } from '../parts/tierNames.ts';
import { filled, planTiers, type StoreBox, type TierRibbon, type TierRow } from './tierLayout.ts';
import { portWords, storeWords } from './tierWords.ts';

/** The cells of a store: at most this many, each for the same share of its blocks. */
const CELL = 9;

export function TierStage(props: {
  tiers: Tiers;
  width: number;
  request: number | undefined;
  onReplica: (replica: number) => void;
}): JSX.Element {
  const plan = createMemo(() => planTiers(props.tiers, props.width, props.request));
  const said = (): string => {
    const { replicas, stores, flows } = props.tiers;
    const of = (n: number, word: string): string => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
    return `Tiers of ${of(replicas.length, 'replica')}, ${of(stores.length, 'store')}, ${of(flows.length, 'flow')}`;
  };
  return (
    <>
      <svg
        class="tier-stage"
        width={props.width}
        height={plan().height}
        viewBox={`0 0 ${props.width} ${plan().height}`}
        role="img"
        aria-label={said()}
      >
        <KeptPattern />
        <For each={plan().ribbons}>{(ribbon) => <Ribbon ribbon={ribbon} />}</For>
        <For each={plan().rows}>{(row) => <Row row={row} labels={plan().labels} onReplica={props.onReplica} />}</For>
        <For each={plan().stores}>{(box) => <Store box={box} />}</For>
        <For each={plan().ribbons}>
          {({ at, gbPerS, source }) => (
            <text class="rate" x={at.x} y={at.y + 4} text-anchor="middle">
              {sig3(gbPerS)}
              {source === undefined ? ' GB/s' : ` from r${source}`}
            </text>
          )}
        </For>
      </svg>
      <Show when={props.tiers.more_replicas + props.tiers.more_flows > 0}>
        <p class="m">
          Not drawn: {count(props.tiers.more_replicas)} replicas, {count(props.tiers.more_flows)} flows.
        </p>
      </Show>
    </>
  );
}

const Ribbon = (props: { ribbon: TierRibbon }): JSX.Element => (
  <path
    class="ribbon"
    classList={{ write: props.ribbon.isWrite, chosen: props.ribbon.isChosen }}
    d={props.ribbon.path}
    stroke-width={props.ribbon.width}
  />
);

function Row(props: { row: TierRow; labels: number; onReplica: (replica: number) => void }): JSX.Element {
  const row = () => props.row;
  const share = (at: number): string => {
    const full = row().bars[at]?.layer;
    const part = full && filled(full);
    return part === undefined ? count((full?.held ?? 0) + (full?.kept ?? 0)) : text(percent(part));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the stage above has the same by keys
    <g class="tier-row" onClick={() => props.onReplica(row().replica)}>
      <rect class="card" x={row().x + 0.5} y={row().y + 0.5} width={row().w - 1} height={row().h - 1} rx="6" />
      <text class="name" x={row().x + 14} y={row().y + 24}>
        r{row().replica}
      </text>
      <text x={row().x + 14} y={row().y + 41}>
        {count(row().inHand)} in hand
      </text>
      <For each={row().bars}>
        {(bar, i) => (
          <>
            <text x={bar.x - 8} y={bar.y + bar.h / 2 + 4} text-anchor="end">
              {tierNames(bar.layer.tier).short}
            </text>
            <rect class="free" x={bar.x} y={bar.y} width={bar.w} height={bar.h} rx="1" />
            <rect class="held" x={bar.x} y={bar.y} width={bar.held} height={bar.h} />
            <rect fill={KEPT} x={bar.x + bar.held} y={bar.y} width={bar.kept} height={bar.h} />
            <Show when={bar.chosen > 0}>
              <rect
                class="chosen"
                x={bar.x}
                y={bar.y - 2}
                width={Math.min(bar.w, bar.chosen)}
                height={bar.h + 4}
                rx="1"
              />
            </Show>
            <text class="full" x={row().w - 10} y={bar.y + bar.h / 2 + 4} text-anchor="end">
              {share(i())}
            </text>
          </>
        )}
      </For>
    </g>
  );
}

function Store(props: { box: StoreBox }): JSX.Element {
  const box = () => props.box;
  const narrow = (): boolean => box().w < 120;
  const cells = (): readonly { readonly x: number; readonly y: number }[] => {
    const [columns, lines] = [Math.floor((box().w - 28) / CELL), Math.floor((box().h - 26) / CELL)];
    return Array.from({ length: Math.max(0, columns * lines) }, (_, i) => ({
      x: box().x + 18 + (i % columns) * CELL,
      y: box().y + 14 + Math.floor(i / columns) * CELL,
    }));
  };
  const share = (): number => {
    const { total, blocks } = box().store;
    return total ? Math.min(1, blocks / total) : 0;
  };
  const parts = () => {
    const all = cells();
    const kept = Math.round(share() * all.length);
    const mine =
      box().store.chosen > 0
        ? Math.max(1, Math.round((box().store.chosen / Math.max(1, box().store.blocks)) * kept))
        : 0;
    const path = (of: typeof all): string => of.map(({ x, y }) => `M${x} ${y}h6v6h-6z`).join('');
    return { mine: path(all.slice(0, mine)), kept: path(all.slice(mine, kept)), free: path(all.slice(kept)) };
  };
  return (
    <g class="tier-store" classList={{ down: box().store.is_down }}>
      <text x={box().x} y={box().y - 9}>
        {narrow() ? box().store.name : storeWords(box().store)}
      </text>
      <rect class="card" x={box().x + 0.5} y={box().y + 0.5} width={box().w - 1} height={box().h - 1} rx="6" />
      <path fill={KEPT} d={parts().kept} />
      <path class="free" d={parts().free} />
      <path class="chosen" d={parts().mine} />
      <For each={[box().out, box().in]}>
        {(y, i) => {
          const port = () => box().store.ports[i()];
          const used = (): number => Math.min(1, (port()?.used_gb_per_s ?? 0) / Math.max(1e-9, port()?.gb_per_s ?? 1));
          return (
            <g class="port" classList={{ hot: port()?.is_hot ?? false }}>
              <rect class="case" x={box().x - 5} y={y - 21} width="10" height="42" rx="2" />
              <rect class="use" x={box().x - 2.5} y={y + 18 - 36 * used()} width="5" height={36 * used()} rx="1" />
              <Show when={!narrow() && port()}>
                {(of) => (
                  <text x={box().x - 12} y={i() === 0 ? y - 27 : y + 34} text-anchor="end">
                    {i() === 0 ? 'reads' : 'writes'} {portWords(of())}
                  </text>
                )}
              </Show>
            </g>
          );
        }}
      </For>
    </g>
  );
}
