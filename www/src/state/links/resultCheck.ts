// Compares the result that a link names with that of the run on screen. Loaded with such a link.
import { createEffect, createRoot, untrack } from 'solid-js';
import { plain } from '../../base/units.ts';
import type { LinkResult } from '../../generated/boundary.ts';
import type { PageState } from './linkPage.ts';

/** The sentence about a result that differs from the one in the link. */
export function differsSaid(wanted: LinkResult, found: LinkResult, atUs: number): string {
  const here =
    found.version === wanted.version
      ? `This page has the same version and computes ${found.digest}.`
      : `This page is version ${found.version} and computes ${found.digest}.`;
  return `The result differs from the one in the link at ${plain(atUs / 1e6)} s: version ${wanted.version} computed digest ${wanted.digest}. ${here} Numbers in the title or the note may be different here.`;
}

/** Once the run rests at the instant of a link, compares its result with the one that the link names. */
export function compareResult(
  page: PageState,
  resultNow: () => Promise<LinkResult | undefined>,
  atUs: number,
  wanted: LinkResult,
): void {
  const document = untrack(page.document);
  createRoot((end) => {
    createEffect(() => {
      // Another scenario, or an edit, has another result.
      if (page.document() !== document) end();
      else if (page.frame()?.now_us === atUs && page.rests()) {
        end();
        void compared().catch(() => {
          // Without a network, or after a restart of the thread, nothing is compared.
        });
      }
    });
  });

  async function compared(): Promise<void> {
    const found = await untrack(resultNow);
    if (!found || found.digest === wanted.digest || untrack(page.frame)?.now_us !== atUs) return;
    page.setNotice({ kind: 'problem', text: differsSaid(wanted, found, atUs) });
  }
}
