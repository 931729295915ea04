// How the page begins: with what was kept, the link in the address, or the first preset.
import { type Client, LostError } from '../sim/client.ts';
import type { App } from './app.ts';
import { kept } from './kept.ts';
import { isEmbed } from './linkText.ts';
import { PRESETS, presetText } from './presets.ts';

/** The files are kept when the first visit has what it needs. */
const OFFLINE_AFTER_MS = 3000;

type Starting = Pick<App, 'document' | 'dialogs' | 'links'> & { readonly setVersion: (version: string) => void };

/** Starts the simulation and opens what the page begins with. */
export async function start(client: Client, { document, dialogs, links, setVersion }: Starting): Promise<void> {
  const { presetName } = document;
  const { setNotice } = dialogs;
  const [link, before] = [location.hash, isEmbed(location.hash) ? undefined : kept()];
  try {
    const [first] = PRESETS;
    // Read while the module is compiled, where it will be opened.
    if (first && link.length <= 1 && !before) void presetText(first).catch(() => {});
    setVersion((await client.start()).version);
    if (before) await links.openKept(before);
    if (link.length > 1 && presetName() === '') await links.open(link);
    await client.settled();
    // What asks for a file or could not be opened is told over the first preset.
    if (first && presetName() === '') await document.openPreset(first);
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

/** Keeps the page for when there is no network, once it is on screen. */
function stayOffline(setNotice: App['dialogs']['setNotice']): void {
  const text = 'A new version of Tokenyard is there. It opens when the page is loaded again; the link keeps this run.';
  const onNew = (run: () => void): void => {
    setNotice({ kind: 'ask', text, action: 'Load it now', run });
  };
  setTimeout(async () => {
    const { keepOffline } = await import('./offline.ts');
    // Storage can be forbidden or full: the page then needs its network.
    await keepOffline(onNew).catch(() => {});
  }, OFFLINE_AFTER_MS);
}
