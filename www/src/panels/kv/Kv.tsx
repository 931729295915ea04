// KV: the blocks of a replica one by one, what its prefixes share, and what the router believes of it. Loaded when it is opened.
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from 'solid-js';
import { createMedia, PHONE } from '../../base/media.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { count } from '../../base/units.ts';
import { createThrottled } from '../../draw/throttled.ts';
import type { App } from '../../state/app.ts';
import { blockColour, openReplica, setBlockColour, setChosenBlock, setOpenReplica } from '../../state/view/closeup.ts';
import {
  blockPage,
  blocks,
  setBlockPage,
  setBlocks,
  setPointedBlock,
  setPointedRun,
} from '../../state/view/kvAnswer.ts';
import { followSelection } from '../parts/followSelection.ts';
import { Segments } from '../parts/Segments.tsx';
import { ToolRow } from '../parts/ToolRow.tsx';
import { BlockMap } from './BlockMap.tsx';
import { BlockPanel } from './BlockPanel.tsx';
import { Events } from './Events.tsx';
import { COLOURS } from './kvWords.ts';
import { Legend } from './Legend.tsx';
import { Occupancy } from './Occupancy.tsx';
import { PointerLine } from './PointerLine.tsx';
import { Sharing } from './Sharing.tsx';
import { Sum } from './Sum.tsx';
import './kv.css';

/** An answer at most this often, in milliseconds. */
const EVERY_MS = 500;
const STRIP = 420;
const NODES = 300;
/** Above as many pages only the strip is drawn until one is asked for. */
const PAGES_SHOWN = 64;

const PHONE_PARTS = [
  ['blocks', 'Blocks'],
  ['sharing', 'Sharing'],
  ['events', 'Events'],
] as const;

export default function Kv(props: { app: App }): JSX.Element {
  const app = props.app;
  const phone = createMedia(PHONE);
  const [part, setPart] = createSignal<(typeof PHONE_PARTS)[number][0]>('blocks');
  const replicas = createMemo(() => app.transport.frame()?.replicas.length ?? 1);
  const replica = createMemo(() => Math.min(replicas() - 1, openReplica() ?? app.selection.framed() ?? 0));
  followSelection(app.selection, setOpenReplica);
  askAgain(app, replica);
  onMount(() => {
    // A lesson that opens this view stays in front.
    if (!phone() && app.selection.rightTab() !== 'lesson') app.selection.setRightTab('block');
  });
  const leave = (): void => {
    setPointedBlock(undefined);
    setPointedRun(undefined);
  };
  createEffect(on([replica, blockPage], leave, { defer: true }));
  createEffect(on(replica, () => setBlockPage(0), { defer: true }));
  onCleanup(() => {
    setBlocks(undefined);
    setChosenBlock(undefined);
    leave();
    if (app.selection.rightTab() === 'block') app.selection.setRightTab('request');
  });
  const turnReplica = (by: number): void => {
    setOpenReplica((replica() + by + replicas()) % replicas());
  };
  return (
    <section class="closeup" aria-label="KV">
      <ToolRow>
        <Replicas count={replicas()} chosen={replica()} onChoose={setOpenReplica} />
        <span class="grow" />
        <Show when={!phone()}>
          <span class="m">Colour by</span>
        </Show>
        <Segments label="Colour by" options={COLOURS} chosen={blockColour()} onChoose={setBlockColour} />
      </ToolRow>
      <div class="kv" classList={{ phone: phone() }}>
        <Show when={blocks()} fallback={<p class="empty">The blocks are on their way…</p>}>
          {(b) => (
            <>
              <Sum blocks={b()} />
              <Show when={phone()}>
                <Segments label="Part" options={PHONE_PARTS} chosen={part()} onChoose={setPart} />
              </Show>
              <Show when={!phone()}>
                <Occupancy app={app} blocks={b()} />
              </Show>
              <div class="kv-body">
                <Show when={!phone() || part() === 'blocks'}>
                  <div class="kv-left">
                    <Switch>
                      <Match when={b().hidden !== ''}>
                        <p class="empty">{b().hidden}.</p>
                      </Match>
                      <Match when={true}>
                        <BlockMap
                          blocks={b()}
                          onlyStrip={b().pages > PAGES_SHOWN && blockPage() === 0}
                          onReplica={turnReplica}
                          reducedMotion={app.transport.reducedMotion()}
                          playing={app.transport.playing()}
                        />
                        <Legend blocks={b()} />
                      </Match>
                    </Switch>
                    <Show when={phone()}>
                      <BlockPanel app={app} short />
                    </Show>
                  </div>
                </Show>
                <Show when={!phone() || part() === 'sharing'}>
                  <Sharing app={app} blocks={b()} />
                </Show>
                <Show when={phone() && part() === 'events'}>
                  <Events app={app} blocks={b()} />
                </Show>
                <Show when={!phone()}>
                  <PointerLine />
                </Show>
              </div>
            </>
          )}
        </Show>
      </div>
    </section>
  );
}

/** Asks for the blocks as the run goes on, and at once when something else is wanted. */
function askAgain(app: App, replica: () => number): void {
  const instant = createThrottled(() => app.transport.frame(), EVERY_MS);
  let gone = false;
  onCleanup(() => {
    gone = true;
  });
  const ask = oneAtATime(async () => {
    const query = { replica: replica(), page: blockPage(), strip: STRIP, nodes: NODES };
    const answer = await app.selection.closeUp('blocks', query).catch(() => undefined);
    if (gone) return;
    if (answer) setBlocks(answer);
  });
  createEffect(on([instant, replica, blockPage], () => ask()));
}

/** A button for each of a few replicas, else a number to choose. */
function Replicas(props: { count: number; chosen: number; onChoose: (replica: number) => void }): JSX.Element {
  const all = createMemo(() => Array.from({ length: Math.min(props.count, 8) }, (_, i) => i));
  return (
    <Show
      when={props.count <= 8}
      fallback={
        <label class="m">
          Replica{' '}
          <input
            class="kv-replica"
            type="number"
            min="0"
            max={props.count - 1}
            value={props.chosen}
            onChange={(event) =>
              props.onChoose(Math.max(0, Math.min(props.count - 1, Math.floor(event.currentTarget.valueAsNumber || 0))))
            }
          />{' '}
          of {count(props.count)}
        </label>
      }
    >
      <fieldset class="seg" aria-label="Replica">
        <For each={all()}>
          {(replica) => (
            <button type="button" aria-pressed={props.chosen === replica} onClick={() => props.onChoose(replica)}>
              r{replica}
            </button>
          )}
        </For>
      </fieldset>
    </Show>
  );
}
