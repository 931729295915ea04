// The dialog "Bring your fleet": configuration of other programs, what each key means here, and what would change.
import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import { readDocument } from '../../base/text.ts';
import { count } from '../../base/units.ts';
import type { Imported, NamedText } from '../../sim/exchangeTypes.ts';
import type { App } from '../../state/app.ts';
import { setBrought } from '../../state/files/exchange.ts';
import { explain } from '../../state/notices/notices.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Frame } from './Frame.tsx';
import { createImporting, type Importing } from './importing.ts';
import { KeyLine } from './KeyLine.tsx';
import { Meaning } from './Meaning.tsx';
import { NewTraffic } from './NewTraffic.tsx';
import { Pasted } from './Pasted.tsx';
import { WhatChanges } from './WhatChanges.tsx';
import { applySaid, footSaid, newSaid, recognised } from './words.ts';
import './import.css';

type Slices = Pick<App, 'document' | 'transport' | 'dialogs'>;

export function Import(props: {
  app: Slices;
  /** Texts that are added, also while it is open. */
  texts: () => readonly NamedText[];
  onClose: () => void;
}): JSX.Element {
  const model = createImporting(props.app);
  const [host, setHost] = createSignal<HTMLElement>();
  createEffect(
    on(props.texts, (texts) => {
      for (const { name, text } of texts) model.add(text, name);
    }),
  );
  const taking = createTaking(props.app, model, () => props.onClose());
  const openFiles = (files: readonly File[]): void => {
    for (const file of files) void props.app.document.openFile(file, (text, name) => model.add(text, name));
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void taking.apply();
  };
  const paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (text.trim() === '') return;
    event.preventDefault();
    model.add(text);
  };
  return (
    <Frame
      class="import"
      title="Bring your fleet"
      aside={recognised(model.found()?.documents.length ?? 0)}
      onClose={props.onClose}
      onKeyDown={key}
      onPaste={paste}
      onFiles={openFiles}
      first={() => host()?.querySelector<HTMLElement>('.pasted-more textarea') ?? null}
      ref={setHost}
      tools={
        <FileButton class="btn box" takes="Configuration file" onFile={(file) => openFiles([file])}>
          Open file
        </FileButton>
      }
      foot={<Foot app={props.app} model={model} taking={taking} onClose={props.onClose} />}
    >
      <div class="import-sides">
        <Pasted model={model} />
        <div class="import-right">
          <Meaning model={model} />
          <WhatChanges model={model} />
        </div>
      </div>
      <NewTraffic model={model} />
      <KeyLine model={model} host={host} />
    </Frame>
  );
}

type Taking = ReturnType<typeof createTaking>;

type Making = (found: Imported | undefined) => string;

/** The open scenario with its changes; empty if there is nothing to apply. */
const toApply: Making = (found) => (found && found.changes.length > 0 ? found.scenario : '');

/** Takes what was read: as an edit at the playhead, or as a scenario of its own. */
function createTaking(app: Slices, model: Importing, onDone: () => void) {
  const [refused, setRefused] = createSignal('');
  /** The new scenario; empty if there is none. */
  const toOpen: Making = (found) => (model.wrong().length > 0 ? '' : (found?.new_scenario.scenario ?? ''));
  async function take(made: Making, how: (scenario: string) => Promise<boolean>): Promise<void> {
    const scenario = made(await model.upToDate());
    if (scenario === '') return;
    if (await how(scenario)) {
      const texts = model.texts().map(({ name, text }) => ({ name, text: `${text}\n` }));
      setBrought({ texts, scenario: readDocument(scenario), original: app.document.original() });
      onDone();
      return;
    }
    setRefused([...new Set([...app.document.problems().values()].map(explain))].join(' · '));
  }
  return {
    refused,
    opens: () => toOpen(model.found()) !== '',
    apply: () => take(toApply, (scenario) => app.document.applyDocument(readDocument(scenario))),
    open: () => take(toOpen, (scenario) => app.document.open(scenario, 'imported', false)),
  };
}

function Foot(props: { app: Slices; model: Importing; taking: Taking; onClose: () => void }): JSX.Element {
  const { model, taking } = props;
  const unknown = (): number => (model.found()?.problems.length ? 0 : (model.found()?.counts.unknown ?? 0));
  return (
    <>
      <span class="s import-said" role="status">
        <Show when={model.found()}>
          {(found) => (
            <>
              {footSaid(found(), model.settled().length)}{' '}
              <span class="mi">{newSaid(found(), model.wrong().length)}</span>
            </>
          )}
        </Show>{' '}
        <Show when={unknown() > 0}>
          <b class="mi">
            {count(unknown())} unknown {unknown() === 1 ? 'key' : 'keys'}
          </b>{' '}
          {unknown() === 1 ? 'is' : 'are'} left out.
        </Show>{' '}
        <Show when={taking.refused()}>{(why) => <span class="mi">{why()}</span>}</Show>
      </span>
      <span class="grow" />
      <button type="button" class="btn" onClick={() => props.onClose()}>
        Cancel
      </button>
      <button
        type="button"
        class="btn box"
        disabled={toApply(model.found()) === ''}
        onClick={() => void taking.apply()}
      >
        {applySaid(model.found(), props.app.transport.frame()?.now_us ?? 0)}
      </button>
      <button type="button" class="btn pri" disabled={!taking.opens()} onClick={() => void taking.open()}>
        Open as new scenario
      </button>
    </>
  );
}
