// The dialog "Take the policy home": the scenario as configuration of each system, what travels, and what was gained.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import type { ExportSystem } from '../../sim/exchangeTypes.ts';
import type { App } from '../../state/app.ts';
import { save } from '../parts/save.ts';
import { ExportedKeys, ReadBack } from './ExportedKeys.tsx';
import { ExportFile } from './ExportFile.tsx';
import { createExporting, SYSTEM_WORDS, SYSTEMS, tabSaid, titleOf, type Written } from './exporting.ts';
import { Frame } from './Frame.tsx';
import { PolicyDifference } from './PolicyDifference.tsx';
import './export.css';

export default function Export(props: { app: Pick<App, 'document' | 'transport'>; onClose: () => void }): JSX.Element {
  const scenario = props.app.document.inForce();
  const atS = (props.app.transport.frame()?.now_us ?? 0) / 1e6;
  const { written, trouble } = createExporting(scenario, props.app.document.original());
  const [system, setSystem] = createSignal<ExportSystem>('epp');
  const [done, setDone] = createSignal('');
  const [host, setHost] = createSignal<HTMLElement>();
  const shown = createMemo(() => written().get(system()));
  const copy = (): void => {
    const text = shown()?.file.text;
    if (text === undefined) return;
    navigator.clipboard.writeText(text).then(
      () => setDone(`${shown()?.file.file_name ?? ''} copied.`),
      () => setDone('The browser did not allow copying: save the file.'),
    );
  };
  const keep = (): void => {
    const file = shown()?.file;
    if (file) save(file.file_name, file.text, 'text/plain');
  };
  const key = (event: KeyboardEvent): void => {
    const command = event.ctrlKey || event.metaKey;
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (command && event.key === 'c' && getSelection()?.isCollapsed !== false) copy();
    else if (command && event.key === 's') keep();
    else if (by !== 0 && !command && !event.altKey) setSystem((now) => tabAfter(now, by));
    else return;
    event.preventDefault();
    if (by !== 0) host()?.querySelector<HTMLElement>('.export-tabs [aria-selected=true]')?.focus();
  };
  return (
    <Frame
      class="export"
      title="Take the policy home"
      aside={`${titleOf(scenario)} as of ${atS.toFixed(1)} s; only what differs from each system’s own defaults`}
      onClose={props.onClose}
      onKeyDown={key}
      first={() => host()?.querySelector<HTMLElement>('.export-tabs [aria-selected=true]') ?? null}
      ref={setHost}
      foot={
        <>
          <span class="m import-said" role="status">
            {done() || 'Comments carry what has no counterpart, so nothing is lost in silence.'}
          </span>
          <span class="grow" />
          <button type="button" class="btn pri" disabled={!shown()} onClick={copy}>
            <Icon name="copy" />
            {SYSTEM_WORDS[system()].copy}
          </button>
        </>
      }
    >
      <Tabs written={written()} system={system()} onChoose={setSystem} />
      <div class="export-sides" role="tabpanel" id="export-panel" aria-labelledby={`export-${system()}`}>
        <Show
          when={shown()}
          fallback={
            <p class="say meaning-none" role="status">
              {trouble() || 'Writing the file…'}
            </p>
          }
        >
          {(one) => <ExportFile written={one()} onCopy={copy} onSave={keep} />}
        </Show>
        <section class="export-side" tabindex={0} aria-label="What travels, and what it gained">
          <Show when={shown()}>{(one) => <ExportedKeys file={one().file} />}</Show>
          <PolicyDifference app={props.app} scenario={scenario} />
          <Show when={shown()}>{(one) => <ReadBack written={one()} />}</Show>
        </section>
      </div>
    </Frame>
  );
}

/** The tab before or after, from the last on to the first. */
function tabAfter(system: ExportSystem, by: number): ExportSystem {
  const at = SYSTEMS.indexOf(system);
  return SYSTEMS[(at + by + SYSTEMS.length) % SYSTEMS.length] ?? system;
}

function Tabs(props: {
  written: ReadonlyMap<ExportSystem, Written>;
  system: ExportSystem;
  onChoose: (system: ExportSystem) => void;
}): JSX.Element {
  return (
    <div class="export-tabs" role="tablist" aria-label="System">
      <For each={SYSTEMS}>
        {(name) => (
          <button
            type="button"
            role="tab"
            id={`export-${name}`}
            aria-controls="export-panel"
            aria-selected={props.system === name}
            tabindex={props.system === name ? 0 : -1}
            onClick={() => props.onChoose(name)}
          >
            {SYSTEM_WORDS[name].tab}
            <small>
              <Show when={props.written.get(name)}>{(one) => <>{tabSaid(one().file)}</>}</Show>
            </small>
          </button>
        )}
      </For>
    </div>
  );
}
