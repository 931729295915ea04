// The blocks of a request among those of its replica: the page that has the first of them. Loaded when they are asked for.
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../app.ts';
import { setChosenBlock } from './closeup.ts';
import { setBlockPage } from './kvAnswer.ts';

/** The most pages that are looked through. */
const MOST_PAGES = 32;

/** Turns to the page of the first block that the request holds, and pins that block. */
export async function findBlock(
  { closeUp }: Pick<App['selection'], 'closeUp'>,
  request: number,
  replica: number,
): Promise<void> {
  try {
    for (let page = 0, pages = 1; page < Math.min(pages, MOST_PAGES); page += 1) {
      const found = await closeUp('blocks', { replica, page, strip: 1, nodes: 1 });
      if (!found) return;
      pages = found.pages;
      const at = found.grid.owner.indexOf(request);
      if (at < 0) continue;
      setBlockPage(page);
      setChosenBlock({ replica, block: found.grid.first + at });
      return;
    }
  } catch (error) {
    ignoreLost(error);
  }
}
