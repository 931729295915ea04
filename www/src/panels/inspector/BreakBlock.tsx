// What can break in a replica: the faults that the schema knows with their settings, made an edit at the playhead.
import { For, type JSX, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import type { App } from '../../state/app.ts';
import { Block } from '../parts/Block.tsx';
import { type Breaking, createBreak } from './breaking.ts';
import './break.css';

export function BreakBlock(props: { app: Pick<App, 'document'>; replica: number }): JSX.Element {
  const making = createBreak(props.app, () => props.replica);
  return (
    <Block title={`Break r${props.replica}`} remark="now, as an edit">
      <fieldset class="break" aria-label={`Break r${props.replica}`}>
        <For each={making.kinds()}>
          {({ tag, help }) => (
            <label title={help}>
              <input
                type="radio"
                name="fault"
                checked={making.kind()?.tag === tag}
                onChange={() => making.choose(tag)}
              />
              {sentence(tag)}
            </label>
          )}
        </For>
      </fieldset>
      <Show when={making.kind()}>{(of) => <p class="say">{of().help}</p>}</Show>
      <div class="break-settings">
        <Settings making={making} />
        <button type="button" class="btn box" onClick={() => void making.apply()}>
          Break it now
        </button>
      </div>
    </Block>
  );
}

/** The settings of the chosen kind. */
export function Settings(props: { making: Breaking }): JSX.Element {
  return (
    <For each={props.making.kind()?.settings ?? []}>
      {(setting) => (
        <label title={setting.help}>
          {setting.label}
          <input
            type="number"
            class="in"
            min={setting.least}
            max={setting.most}
            step="any"
            value={props.making.valueOf(setting)}
            onInput={(event) => props.making.setValue(setting, event.currentTarget.valueAsNumber)}
          />
          <span class="m">{setting.unit}</span>
        </label>
      )}
    </For>
  );
}
