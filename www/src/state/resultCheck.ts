// Compares the result that a link names with that of the run on screen. Loaded with such a link.
import { plain } from '../base/units.ts';
import type { LinkResult } from '../generated/boundary.ts';

/** The sentence about a result that differs from the one in the link. */
export function differsSaid(wanted: LinkResult, found: LinkResult, atUs: number): string {
  const here =
    found.version === wanted.version
      ? `This page has the same version and computes ${found.digest}.`
      : `This page is version ${found.version} and computes ${found.digest}.`;
  return `The result differs from the one in the link at ${plain(atUs / 1e6)} s: version ${wanted.version} computed digest ${wanted.digest}. ${here} Numbers in the title or the note may be different here.`;
}
