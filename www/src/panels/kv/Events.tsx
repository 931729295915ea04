// What happened to the blocks of a replica lately, the newest first, with filters.
import { createMemo, createSignal, Index, type JSX, Show } from 'solid-js';
import { clock, count } from '../../base/units.ts';
import type { BlockEvent, Blocks } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { Block } from '../parts/Block.tsx';
import { Segments } from '../parts/Segments.tsx';
import { EVENT_KINDS, type EventFilter, eventWords, filterName, isOf } from './kvWords.ts';

const SHOWN = 60;
const FILTERS: readonly EventFilter[] = ['all', ...EVENT_KINDS];

export function Events(props: { app: Pick<App, 'selection'>; blocks: Blocks }): JSX.Element {
  const [filter, setFilter] = createSignal<EventFilter>('all');
  const options = createMemo(() =>
    FILTERS.filter((name) => name !== 'cpu' || props.blocks.cpu !== null).map(
      (name) => [name, filterName(name)] as const,
    ),
  );
  const events = createMemo(() => props.blocks.happened.filter((event) => isOf(event, filter())));
  const remark = (): string => `${count(props.blocks.evictions)} evicted since the start`;
  return (
    <Block title="Just happened" remark={remark()}>
      <Segments label="Events" class="kv-filters" options={options()} chosen={filter()} onChoose={setFilter} />
      <Show when={events().length > 0} fallback={<p class="say">Nothing of this kind in what is kept.</p>}>
        <ol class="kv-events">
          {/* By place: each answer has new events, and new rows would cost a frame each. */}
          <Index each={events().slice(0, SHOWN)}>
            {(event) => (
              <li class={event().kind}>
                <time>{clock(event().at_us)}</time>
                <span>
                  <Show when={event().request !== null}>
                    <Request app={props.app} event={event()} />{' '}
                  </Show>
                  {eventWords(event())} <i>{event().text}</i>
                </span>
              </li>
            )}
          </Index>
        </ol>
      </Show>
    </Block>
  );
}

function Request(props: { app: Pick<App, 'selection'>; event: BlockEvent }): JSX.Element {
  const open = (): void => {
    const { request } = props.event;
    if (request !== null) props.app.selection.select({ request, replica: undefined });
  };
  return (
    <button type="button" class="link" onClick={open}>
      #{props.event.request}
    </button>
  );
}
