// One block in full: the one pointed at, else the one that is pinned; below it the CPU tier and what happened lately.
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show, untrack } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { count, DASH, durationUs, text } from '../../base/units.ts';
import { Listed } from '../../draw/GrowingList.tsx';
import type { BlockDetail, Blocks, CpuBlocks } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { chosenBlock } from '../../state/view/closeup.ts';
import { blocks, pointedBlock } from '../../state/view/kvAnswer.ts';
import { Block, BlockStates } from '../parts/Block.tsx';
import { area, CELL, COLUMNS } from '../parts/blockCells.ts';
import { Events } from './Events.tsx';
import { blocksOf, idleSaid, memorySaid, stateName } from './kvWords.ts';
import './kvParts.css';

type Props = {
  readonly app: Pick<App, 'selection'>;
  /** Only the block, as below the grid of a phone. */
  readonly short?: boolean;
};

export function BlockPanel(props: Props): JSX.Element {
  const detail = createDetail(props.app);
  return (
    <div class="kv-panel">
      <Show
        when={detail()}
        fallback={
          <div class="blk">
            <p class="say">Point at a block to see what it holds and when it goes. A click or Enter pins it.</p>
          </div>
        }
      >
        {(one) => <Card app={props.app} detail={one()} />}
      </Show>
      <Show when={!props.short && blocks()}>
        {(b) => (
          <>
            <Order blocks={b()} detail={detail()} />
            <Show when={b().cpu}>{(cpu) => <CpuTier cpu={cpu()} />}</Show>
            <Events app={props.app} blocks={b()} />
          </>
        )}
      </Show>
    </div>
  );
}

export default BlockPanel;

/** Asks for the block again whenever another one is pointed at and with each answer about all of them. */
function createDetail(app: Pick<App, 'selection'>): () => BlockDetail | undefined {
  const [detail, setDetail] = createSignal<BlockDetail>();
  const asked = createMemo(() => {
    const replica = blocks()?.replica;
    const pointed = pointedBlock();
    const pinned = chosenBlock();
    if (replica !== undefined && pointed !== undefined) return { replica, block: pointed };
    return pinned?.replica === replica ? pinned : undefined;
  });
  let gone = false;
  onCleanup(() => {
    gone = true;
  });
  // The pointer moves over more blocks than can be asked about.
  const ask = oneAtATime(async () => {
    const query = untrack(asked);
    const found = query && (await app.selection.closeUp('block', query));
    if (!gone) setDetail(found ?? undefined);
  });
  createEffect(on([asked, blocks], () => ask()));
  return detail;
}

function Card(props: { app: Pick<App, 'selection'>; detail: BlockDetail }): JSX.Element {
  const d = (): BlockDetail => props.detail;
  const state = (): string =>
    d().holders.length > 1 ? `shared by ${count(d().holders.length)}` : stateName(d().state);
  const place = (): string => {
    const { position, of } = d();
    return position === null || of === null ? DASH : `${count(position + 1)} of ${count(of)}`;
  };
  const tokens = (): string => {
    const held = d().tokens;
    return held ? `tokens ${count(held[0])}–${count(held[1] - 1)}` : DASH;
  };
  return (
    <Block title={`Block ${count(d().block)}`} remark={`${state()} · r${d().replica}`}>
      <Show when={d().position !== null && d().of !== null}>
        <Cells of={d().of ?? 0} at={d().position ?? 0} shared={d().holders.length > 1} />
      </Show>
      <dl class="list">
        <Row name="Run">
          {place()}
          <Show when={d().group}>{(group) => <b> {group()}</b>}</Show>
        </Row>
        <Row name="Holds">{tokens()}</Row>
        <Row name="Hash">
          <code>{d().hash?.slice(0, 8) ?? DASH}</code>
          <Show when={d().before}>
            {(before) => (
              <>
                {' '}
                after <code>{before().slice(0, 8)}</code>
              </>
            )}
          </Show>
        </Row>
        <Row name="Held by">
          <Show when={d().holders.length > 0} fallback={DASH}>
            <Listed each={d().holders} rest={(said) => said}>
              {(request) => (
                <>
                  <button
                    type="button"
                    class="link"
                    onClick={() => props.app.selection.select({ request, replica: undefined })}
                  >
                    #{request}
                  </button>{' '}
                </>
              )}
            </Listed>
          </Show>
        </Row>
        <Row name="Not held for">{idleSaid(d().idle_us)}</Row>
      </dl>
      <p class="say">{d().sentence}</p>
    </Block>
  );
}

function Row(props: { name: string; children: JSX.Element }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

const MOST_CELLS = 960;

/** The blocks of the request, and this one among them. */
function Cells(props: { of: number; at: number; shared: boolean }): JSX.Element {
  const from = (): number => Math.max(0, Math.min(props.of - MOST_CELLS, props.at - MOST_CELLS / 2));
  const shown = (): number => Math.min(MOST_CELLS, props.of - from());
  const rows = (): number => Math.ceil(shown() / COLUMNS);
  const at = (): number => props.at - from();
  return (
    <svg
      class="kv-cells"
      viewBox={`0 0 ${COLUMNS * CELL} ${rows() * CELL}`}
      role="img"
      aria-label={`Block ${count(props.at + 1)} of ${count(props.of)}`}
    >
      <path class={props.shared ? 'ks' : 'ku'} d={area(0, shown())} />
      <path class="gaps" d={gapsOf(rows())} />
      <path class="this" d={area(at(), at() + 1)} />
    </svg>
  );
}

/** The gaps between cells. */
function gapsOf(rows: number): string {
  const down = Array.from({ length: COLUMNS + 1 }, (_, i) => `M${i * CELL} 0V${rows * CELL}`);
  const across = Array.from({ length: rows + 1 }, (_, i) => `M0 ${i * CELL}H${COLUMNS * CELL}`);
  return [...down, ...across].join('');
}

/** The order in which cached blocks go, and where this one stands in it. */
function Order(props: { blocks: Blocks; detail: BlockDetail | undefined }): JSX.Element {
  const at = (): number | undefined => {
    const order = props.detail?.order;
    return order === null || order === undefined ? undefined : (100 * order) / Math.max(1, props.blocks.cached - 1);
  };
  const next = (): string =>
    props.blocks.next !== null
      ? `Next: block ${count(props.blocks.next)}`
      : props.blocks.cached === 0
        ? 'Nothing is cached.'
        : 'Which block is next is not shown.';
  return (
    <Block title="Order of eviction" remark={`${count(props.blocks.cached)} in line`}>
      <div class="kv-order" role="img" aria-label={`${next()}; ${props.detail?.sentence ?? ''}`}>
        <Show when={at() !== undefined}>
          <i style={{ left: `${at()}%` }} />
        </Show>
      </div>
      <p class="kv-ends m">
        <span>{next()}</span>
        <span>{props.detail?.holders.length ? 'held: joins last' : ''}</span>
      </p>
      <p class="say">
        {blocksOf(props.blocks.free)} {props.blocks.free === 1 ? 'is' : 'are'} empty.
      </p>
    </Block>
  );
}

function CpuTier(props: { cpu: CpuBlocks }): JSX.Element {
  const cpu = (): CpuBlocks => props.cpu;
  const bytes = (n: number | null | undefined): string => (n == null ? DASH : memorySaid(n));
  return (
    <Block title="CPU tier" remark={`${count(cpu().used)} of ${count(cpu().total)} blocks`}>
      <BlockStates
        label={`${count(cpu().used)} of ${count(cpu().total)} blocks of the CPU tier are used`}
        states={[
          { swatch: 'kc', name: '', blocks: cpu().used },
          { swatch: 'kf', name: '', blocks: Math.max(0, cpu().total - cpu().used) },
        ]}
        further={[
          ['Memory', `${bytes(cpu().bytes?.[0])} of ${bytes(cpu().bytes?.[1])}`],
          ['A block', `${bytes(cpu().block_bytes)}, ${text(durationUs(cpu().block_us))}`],
          ['Written, loaded', `${count(cpu().written)}, ${count(cpu().loaded)}`],
        ]}
      />
    </Block>
  );
}
