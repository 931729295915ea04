// The three tools of the stage, where they act: the router's name, a burst at the source, and a break at each replica.
import { createEffect, createSignal, Index, type JSX, Show } from 'solid-js';
import { createMedia, NARROW_PHONE } from '../../base/media.ts';
import type { Option } from '../../base/schema.ts';
import type { Spot, ToolPlaces } from '../../base/view.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { BREAK_S, BURST, crashOf, toolActs } from '../../state/edits/tools.ts';
import { describedBy, hasRing, ring } from '../../state/view/minute.ts';
import { Flyout } from '../parts/Flyout.tsx';
import { LEAST, ROUTING, routersOf, tagOf } from './router.ts';

type Page = Pick<App, 'transport' | 'document' | 'dialogs'>;

/** `row`: on a phone, and where the stage has no rows, the tools stand below it, and a break is aimed at a replica. */
export function CalmTools(props: { app: Page; places: ToolPlaces; row: boolean }): JSX.Element {
  const acts = toolActs(props.app);
  const phone = createMedia(NARROW_PHONE);
  return (
    <div class="calm-tools" classList={{ row: props.row }}>
      <Show when={props.row || props.places.source}>
        <div class="calm-tool" ref={(el) => placed(el, () => props.places.source?.burst)}>
          <button
            type="button"
            class="tool"
            title={tooltip(`Send ${BURST} more requests within a second`, 'burst')}
            onClick={acts.burst}
          >
            <BurstIcon />
            {phone() ? 'Burst' : 'Send a burst'}
          </button>
        </div>
        <div class="calm-tool" ref={(el) => placed(el, () => props.places.source?.router)}>
          <RouterTool app={props.app} did={acts.did} below={!props.row} />
        </div>
      </Show>
      <Show when={props.row}>
        <div class="calm-tool">
          <button
            type="button"
            class="tool"
            classList={{ ring: ring()?.on === 'break' }}
            aria-pressed={breaks()}
            aria-describedby={describedBy('break', ring()?.id)}
            onClick={() => setBreaks(!breaks())}
          >
            <BreakIcon />
            {breaks() ? 'Pick a replica' : 'Break'}
          </button>
        </div>
      </Show>
      <Index each={props.places.rows}>
        {(spot) => (
          <div class="calm-tool" data-replica={spot().replica} ref={(el) => placed(el, spot)}>
            <RowTool app={props.app} replica={spot().replica} acts={acts} />
          </div>
        )}
      </Index>
    </div>
  );
}

/** Whether the next tap on a replica breaks it. */
export const [breaks, setBreaks] = createSignal(false);

/** Breaks a replica from the stage, if a tap is awaited. */
export function breakTapped(app: Page, replica: number | undefined): boolean {
  if (!breaks() || replica === undefined) return false;
  setBreaks(false);
  toolActs(app).crash(replica);
  return true;
}

/** The name of the router, which is the way to choose another. */
function RouterTool(props: {
  app: Pick<App, 'document'>;
  did: (done: Promise<boolean>) => Promise<void>;
  below: boolean;
}): JSX.Element {
  const doc = props.app.document;
  const { options, current, nameOf } = routersOf(props.app);
  /** Whether it is another one than at the start. */
  const used = (): boolean => tagOf(doc, doc.original()) !== current();
  return (
    <Flyout
      below={props.below}
      label="Router"
      name={`${nameOf(current())} Router`}
      class={`tool router-tool${hasRing('router') ? ' ring' : ''}${used() ? ' used' : ''}`}
      describedBy={describedBy('router')}
      title={tooltip('Choose who gets the next request', 'router')}
      trigger={
        <>
          {nameOf(current())}
          <Icon name="down" />
        </>
      }
    >
      {(close) => (
        <Routers
          options={options()}
          current={current()}
          onChoose={(option) => {
            close();
            if (option.tag !== current()) void props.did(doc.change(ROUTING, option.value));
          }}
        />
      )}
    </Flyout>
  );
}

/** Breaks a replica, or mends one that is broken. */
function RowTool(props: { app: Page; replica: number; acts: ReturnType<typeof toolActs> }): JSX.Element {
  const { transport, document: doc } = props.app;
  const replica = () => transport.frame()?.replicas.find((r) => r.id === props.replica);
  const crash = () => crashOf(transport.frame()?.flags ?? [], props.replica, props.acts.nowUs());
  return (
    <Show
      when={replica()?.life?.phase === 'down'}
      fallback={
        <button
          type="button"
          class="tool quiet"
          classList={{ ring: hasRing('break', props.replica) }}
          aria-label={`Break r${props.replica}`}
          aria-describedby={describedBy('break', props.replica)}
          title={tooltip(`Crash it for ${BREAK_S} s`, 'break-row')}
          onClick={() => props.acts.crash(props.replica)}
        >
          <BreakIcon />
          Break
        </button>
      }
    >
      <Show when={crash()}>
        {(found) => (
          <button
            type="button"
            class="tool quiet"
            aria-label={`Mend r${props.replica}`}
            title={tooltip('End the fault now', 'break-row')}
            onClick={() => void doc.stretchEdit(found().index, props.acts.nowUs())}
          >
            Mend
          </button>
        )}
      </Show>
    </Show>
  );
}

/** The list of routers, each with the beginning of what it does. */
function Routers(props: {
  options: readonly Option[];
  current: string;
  onChoose: (option: Option) => void;
}): JSX.Element {
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...event.currentTarget.querySelectorAll('button')];
    const at = all.findIndex((one) => one === document.activeElement);
    all[(at + by + all.length) % all.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the buttons within, which are controls
    <div class="router-list" onKeyDown={move}>
      {/* The words come after the engine: the control that has the focus stays. */}
      <Index each={props.options}>
        {(option) => (
          <button
            type="button"
            classList={{ ring: hasRing('router') && option().tag === LEAST }}
            aria-pressed={option().tag === props.current}
            title={option().description}
            onClick={() => props.onChoose(option())}
          >
            <span>{option().label}</span>
            <span class="m">{beginning(option().description)}</span>
          </button>
        )}
      </Index>
    </div>
  );
}

/** The first clause of a description. */
const beginning = (description: string): string => description.split(/[,:;.]/)[0] ?? '';

/** Keeps an element at its place, without a style attribute. */
function placed(el: HTMLElement, spot: () => Spot | undefined): void {
  createEffect(() => {
    const at = spot();
    el.style.left = at ? `${at.x}px` : '';
    el.style.top = at ? `${at.y}px` : '';
  });
}

function BurstIcon(): JSX.Element {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 8h5M2 4.500h3M2 11.500h3M9 4l4 4-4 4" />
    </svg>
  );
}

function BreakIcon(): JSX.Element {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zM5.500 5.500l5 5M10.500 5.500l-5 5" />
    </svg>
  );
}
