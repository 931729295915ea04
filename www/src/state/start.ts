// The start of the page: with a kept scenario, the link in the address, or the first preset.
import { type Client, LostError, type Ready } from '../sim/client.ts';
import type { App } from './app.ts';
import { isEmbed } from './links/linkText.ts';
import { type Kept, kept } from './links/tabStorage.ts';
import { PRESETS } from './run/presets.ts';

/** Files are kept once the first visit has loaded. */
const OFFLINE_AFTER_MS = 3000;

type Starting = Pick<App, 'document' | 'dialogs' | 'links'> & { readonly setVersion: (version: string) => void };

/**
 * Starts the simulation and opens the first scenario; resolves when that is open. The first preset is recorded: it may be open before
 * the simulation is there.
 */
export async function start(client: Client, page: Starting): Promise<void> {
  const [link, before] = [location.hash, isEmbed(location.hash) ? undefined : kept()];
  const [first] = PRESETS;
  const ready = client.start();
  const opens = first && link.length <= 1 && !before ? page.document.openPreset(first) : undefined;
  const follows = follow(client, ready, page, { link, before, opens });
  await (opens ?? follows);
}

/** What is opened: the link in the address, a kept scenario, or the first preset, which is on its way. */
type Asked = {
  readonly link: string;
  readonly before: Kept | undefined;
  readonly opens: Promise<void> | undefined;
};

/** Opens what needs the simulation, if nothing is open yet; from then on the address follows. */
async function follow(
  client: Client,
  ready: Promise<Ready>,
  { document, dialogs, links, setVersion }: Starting,
  { link, before, opens }: Asked,
): Promise<void> {
  const { presetName } = document;
  const { setNotice } = dialogs;
  const [first] = PRESETS;
  try {
    setVersion((await ready).version);
    performance.mark('engine');
    // Help of the form, which the first view has little of. Without it fields have their names.
    void document.describe().catch(() => {});
    if (before) await links.openKept(before);
    if (link.length > 1 && presetName() === '') await links.open(link);
    await opens;
    await client.settled();
    // Dialogs for a missing file or a link with errors appear over the first preset.
    // What was opened while the module was loaded stays.
    if (first && presetName() === '' && !client.isAwaited()) await document.openPreset(first);
    links.follow(before !== undefined);
    if (import.meta.env.PROD && !isEmbed(link)) stayOffline(setNotice);
  } catch (error) {
    if (!(error instanceof LostError)) throw error;
    setNotice({
      kind: 'ask',
      text: `The simulation could not start: ${error.message}.`,
      action: 'Load the page again',
      run: () => location.reload(),
    });
  }
}

/** Keeps the page for use without a network, once it is on screen. */
function stayOffline(setNotice: App['dialogs']['setNotice']): void {
  const text = 'A new version of Tokenyard is available. It opens when the page is reloaded; the link keeps this run.';
  const onNew = (run: () => void): void => {
    setNotice({ kind: 'ask', text, action: 'Load it now', run });
  };
  setTimeout(async () => {
    const { keepOffline } = await import('./files/offline.ts');
    // Storage can be forbidden or full: the page then needs its network.
    await keepOffline(onNew).catch(() => {});
  }, OFFLINE_AFTER_MS);
}
