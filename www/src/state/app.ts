// Everything the panels show and everything they can do, in six slices. Signals out, actions in; the simulation itself is behind the
// client. A panel takes the slices that it needs: `Pick<App, 'transport' | 'selection'>`.
import { batch } from 'solid-js';
import type { JsonObject } from '../base/json.ts';
import { Schema } from '../base/schema.ts';
import { trust } from '../base/trust.ts';
import rawSchema from '../generated/schema.json';
import { Client, type Crash } from '../sim/client.ts';
import type { DeskWorker } from '../sim/desks.ts';
import type { WorkerLike } from '../sim/spawn.ts';
import { createDialogs, type DialogsSlice } from './slices/dialogs.ts';
import { createDocument, type DocumentSlice } from './slices/document.ts';
import { createLinksSlice, type LinksSlice } from './slices/links.ts';
import { createSelection, type SelectionSlice } from './slices/selection.ts';
import { createStudies, type StudiesSlice } from './slices/studies.ts';
import { createTransport, type TransportSlice } from './slices/transport.ts';
import { start } from './start.ts';

export type App = {
  /** The position of the run, and its movement. */
  readonly transport: TransportSlice;
  /** What the user looks at. */
  readonly selection: SelectionSlice;
  /** The scenario, its edits and its runs. */
  readonly document: DocumentSlice;
  /** Views over the run: comparison, studies, measured runs. */
  readonly studies: StudiesSlice;
  /** Messages to the user. */
  readonly dialogs: DialogsSlice;
  /** The address bar, links and sharing. */
  readonly links: LinksSlice;
  /** Starts the simulation and opens the first scenario. */
  readonly start: () => Promise<void>;
};

export function createApp(spawn: () => WorkerLike, spawnLink: () => DeskWorker): App {
  const client = (): Client => simulation;
  const dialogs: DialogsSlice = createDialogs(
    () => transport.frame(),
    () => links.sharing() || links.trouble() !== undefined,
  );
  const selection = createSelection(
    client,
    () => transport.focusOn(),
    (report) => document.named(report),
  );
  const transport: ReturnType<typeof createTransport> = createTransport({
    client,
    selection,
    dialogs,
    onFrame: (next) => document.onFrame(next),
    editsPassed: () => document.editsPassed(),
    flagWords: () => document.flagWords(),
  });
  const document: ReturnType<typeof createDocument> = createDocument({
    client,
    schema: new Schema(trust<JsonObject>(rawSchema)),
    transport,
    selection,
    dialogs,
    studies: () => studies,
    links: () => links,
  });
  const studies: ReturnType<typeof createStudies> = createStudies(client, document.presetName);
  const links: LinksSlice = createLinksSlice(spawnLink, { client, transport, selection, document, studies, dialogs });

  function onCrash(crash: Crash): void {
    batch(() => {
      // The last question may have caused the stop.
      transport.stop();
      transport.setMode('paused');
      dialogs.setNotice({ kind: 'crash', crash });
    });
  }
  const simulation: Client = new Client(
    spawn,
    {
      onFrame: transport.show,
      onCrash,
      onLoading: (bytes, of) => transport.setLoaded({ bytes, of }),
      onWaits: transport.setWaits,
    },
    transport.pace,
  );

  return {
    ...{ transport, selection, document, studies, dialogs, links },
    start: () => start(simulation, { document, dialogs, links, setVersion: transport.setVersion }),
  };
}
