// The words of the view of tiers.
import { count, durationUs, percent, sig3, text } from '../../base/units.ts';
import type { OriginPart, PromptOrigin, StorePart, TierPort } from '../../generated/boundary.ts';
import { tierNames } from '../parts/tierNames.ts';

/** Where blocks of a prompt came from. */
export function placeWords({ tier, source }: OriginPart, replica: number): string {
  if (tier === 'computed') return 'computed';
  if (tier === 'p2p') return source === null ? 'another replica' : `r${source}, its CPU memory`;
  const { own } = tierNames(tier);
  return own.startsWith('its ') ? `r${replica}, ${own}` : own;
}

/** What a prompt was made of, and what that spared. */
export function originWords(of: PromptOrigin): string {
  const found = of.parts.filter((part) => part.tier !== 'computed').length;
  const computed = `Of ${count(of.prompt_tokens)} prompt tokens r${of.replica} computed ${count(of.computed_tokens)}.`;
  if (found === 0) return `${computed} No tier had any of them.`;
  const places = found === 1 ? 'one place' : `${count(found)} places`;
  const reading = of.read_us === null ? '' : ` Reading took ${text(durationUs(of.read_us))}.`;
  return `${computed} The rest lay in ${places} and spared at least ${text(durationUs(of.spared_us))} of computing.${reading}`;
}

/** How much of a port is used. */
export const portWords = ({ gb_per_s, used_gb_per_s }: TierPort): string =>
  `${text(percent(gb_per_s > 0 ? used_gb_per_s / gb_per_s : 0))} of ${sig3(gb_per_s)} GB/s`;

/** How much a store holds. */
export function storeWords({ name, is_down, total, blocks, gb }: StorePart): string {
  if (is_down) return `${name}, down`;
  if (gb) return `${name}, ${sig3(gb[1])} of ${sig3(gb[0])} GB`;
  return total ? `${name}, ${count(blocks)} of ${count(total)} blocks` : `${name}, ${count(blocks)} blocks`;
}
