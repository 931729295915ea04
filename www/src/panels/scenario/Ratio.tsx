// The ratio of prefill to decode replicas: a slider with keys that moves replicas between the roles, one edit each time.
// Loaded where pools have roles.
import { createMemo, createSignal, type JSX, Show } from 'solid-js';
import { count } from '../../base/units.ts';
import { hintSaid } from '../../base/view.ts';
import { Icon } from '../../draw/glyphs.tsx';
import type { App } from '../../state/app.ts';
import { tooltip } from '../../state/commands/shortcuts.ts';
import { changeRoles } from '../../state/edits/changeRoles.ts';
import { withRole } from '../../state/edits/roles.ts';
import './ratio.css';

type Page = { app: Pick<App, 'document' | 'links' | 'dialogs' | 'transport'> };

export default function Ratio(props: Page): JSX.Element {
  return (
    <>
      <RatioControl app={props.app} name="Prefill : decode" />
      <div class="more">
        <Hint app={props.app} />
        <div class="v">
          <button type="button" class="btn box add" onClick={() => props.app.dialogs.setFinding(true)}>
            Find the ratio…
          </button>
        </div>
      </div>
    </>
  );
}

/** The ratio that the loads of the two roles suggest, of the frame whose figures the stage has. */
function Hint(props: Page): JSX.Element {
  const hint = () => props.app.transport.writtenFrame()?.split?.hint;
  return (
    <span class="m" title="By the load of both roles in the latest window. It is never applied by itself.">
      {hintSaid(hint())}
    </span>
  );
}

export function RatioControl(props: Page & { name: string; class?: string }): JSX.Element {
  const app = props.app;
  const prefill = createMemo(() => withRole(app.document.inForce(), 'prefill'));
  const decode = createMemo(() => withRole(app.document.inForce(), 'decode'));
  const all = (): number => prefill() + decode();
  /** Where the slider is while it is dragged; releasing it makes the edit. */
  const [dragged, setDragged] = createSignal<number>();
  const shown = (): number => dragged() ?? prefill();
  const move = (by: number): void => {
    if (by !== 0) void changeRoles(app, { move: { by } });
  };
  const said = (): string => `${count(shown())} prefill : ${count(all() - shown())} decode`;
  /** The place of the suggested ratio on the slider, as a share. */
  const hint = createMemo(() => {
    const [of] = app.transport.writtenFrame()?.split?.hint ?? [];
    return of === undefined || all() <= 2 ? undefined : (of - 1) / (all() - 2);
  });
  return (
    <fieldset class={`ratio ${props.class ?? ''}`} aria-label="Ratio of prefill to decode replicas">
      <span class="ratio-name">{props.name}</span>
      <button
        type="button"
        class="btn sq slim"
        aria-label="One prefill replica less"
        title={tooltip('Turn a prefill replica into a decode replica', 'less-prefill')}
        disabled={prefill() <= 1}
        onClick={() => move(-1)}
      >
        <span aria-hidden="true">−</span>
      </button>
      <span class="ratio-track">
        <input
          type="range"
          min="1"
          max={Math.max(1, all() - 1)}
          step="1"
          value={shown()}
          disabled={all() < 3}
          aria-label="Prefill replicas"
          aria-valuetext={said()}
          onInput={(event) => setDragged(Number(event.currentTarget.value))}
          onChange={(event) => {
            setDragged(undefined);
            move(Number(event.currentTarget.value) - prefill());
          }}
        />
        <Show when={hint()}>
          {(share) => <i class="ratio-hint" style={{ '--at': share() }} aria-hidden="true" title="hint" />}
        </Show>
      </span>
      <button
        type="button"
        class="btn sq slim"
        aria-label="One prefill replica more"
        title={tooltip('Turn a decode replica into a prefill replica', 'more-prefill')}
        disabled={decode() <= 1}
        onClick={() => move(1)}
      >
        <Icon name="plus" />
      </button>
      <output class="ratio-now" title={said()}>
        {count(shown())} : {count(all() - shown())}
        <span class="visually-hidden">, {said()}</span>
      </output>
    </fieldset>
  );
}
