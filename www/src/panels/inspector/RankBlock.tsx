// The server of a replica that is a rank in lock step: whom its ranks wait for, and for how much of the time.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { describeServer, rankOf, serverName } from '../../base/servers.ts';
import { count, durationUs, percent, text } from '../../base/units.ts';
import type { RankFrame, ServerFrame } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import './ranks.css';

/** Ranks listed before the rest is asked for. */
const FIRST = 16;

export function RankBlock(props: {
  readonly app: Pick<App, 'transport' | 'selection'>;
  readonly replica: number;
}): JSX.Element {
  const of = createMemo(() => rankOf(props.app.transport.throttledFrame() ?? {}, props.replica));
  return <Show when={of()}>{(found) => <Server app={props.app} server={found().server} rank={found().rank} />}</Show>;
}

function sentence({ slowest, step_us }: ServerFrame, rank: RankFrame): string {
  const own = text(durationUs(rank.own_us));
  const step = text(durationUs(step_us));
  if (step_us === 0) return 'No step of the server began yet.';
  if (slowest === undefined) return `All ranks take ${step} for the step: none waits for another.`;
  if (slowest === rank.replica) return `The others wait for this rank, which takes ${step} for the step.`;
  const waits = text(durationUs(rank.wait_us));
  if (rank.own_us === 0) return `It has no work in this step of ${step}, and runs along until r${slowest} is done.`;
  return `Its own part of the step takes ${own} of ${step}; then it waits ${waits} for r${slowest}.`;
}

function Server(props: {
  readonly app: Pick<App, 'selection'>;
  readonly server: ServerFrame;
  readonly rank: RankFrame;
}): JSX.Element {
  const server = (): ServerFrame => props.server;
  const rank = (): RankFrame => props.rank;
  const [all, setAll] = createSignal(false);
  const listed = (): readonly RankFrame[] => (all() ? server().ranks : server().ranks.slice(0, FIRST));
  const share = (of: number): string => text(percent(of, 1));
  const rows = (): readonly Row[] => [
    ['Slowest rank', server().slowest === undefined ? 'none waits' : `r${server().slowest}`],
    ['Waited so far, of the time of its steps', share(rank().wait_share)],
    ['while a rank had a prompt', share(rank().wait_prompts)],
    ['while others decoded longer', share(rank().wait_decodes)],
    ['without work of its own', share(rank().wait_empty)],
    ['All ranks of the server', share(server().wait_share)],
    ['Padding tokens', count(rank().padding_tokens)],
    ['Padding tokens of the server', count(server().padding_tokens)],
  ];
  return (
    <Block title={`Server ${serverName(server())}`} remark={`${count(server().ranks.length)} ranks · ${server().pool}`}>
      <p class="say">{sentence(server(), rank())}</p>
      <fieldset class="ranks" aria-label={describeServer(server())}>
        <For each={listed()}>
          {(one) => (
            <button
              type="button"
              class="rank"
              aria-pressed={one.replica === rank().replica}
              onClick={() => props.app.selection.select({ request: undefined, replica: one.replica })}
            >
              <span>r{one.replica}</span>
              <RankBar server={server()} rank={one} />
              <b classList={{ slowest: server().slowest === one.replica }}>
                {one.own_us > 0 ? text(durationUs(one.own_us)) : 'no work'}
              </b>
            </button>
          )}
        </For>
        <p class="m rank-legend">
          <i class="sw8 own" aria-hidden="true" /> own part of the step <i class="sw8 wait" aria-hidden="true" /> waits
          for the slowest
        </p>
      </fieldset>
      <Show when={server().ranks.length > listed().length}>
        <button type="button" class="btn box" onClick={() => setAll(true)}>
          All {count(server().ranks.length)} ranks
        </button>
      </Show>
      <NameValues rows={rows()} />
    </Block>
  );
}

/** A step: its own part solid, the rest hatched. */
function RankBar(props: { readonly server: ServerFrame; readonly rank: RankFrame }): JSX.Element {
  return (
    <i class="rank-bar" aria-hidden="true">
      <i
        class="own"
        classList={{ slowest: props.server.slowest === props.rank.replica }}
        style={{ 'flex-grow': props.rank.own_us }}
      />
      <i class="wait" style={{ 'flex-grow': props.rank.wait_us }} />
    </i>
  );
}
