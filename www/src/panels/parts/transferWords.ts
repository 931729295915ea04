// What is still to come of a hand-over, and the names of its rows in a waterfall.
import { sentence } from '../../base/keyWords.ts';
import { durationUs, text } from '../../base/units.ts';
import type { RequestDetail, SegmentKind } from '../../generated/boundary.ts';

/** A phase that is still to come, or the rest of the one under way. */
export type Ahead = { readonly kind: SegmentKind; readonly fromUs: number; readonly toUs: number };

/** The phases up to the first token, one after the other from now on. */
export function aheadOf(detail: RequestDetail): readonly Ahead[] {
  let fromUs = detail.until_us;
  return (detail.handover?.ahead ?? []).map(({ kind, to_us }) => {
    const part = { kind, fromUs, toUs: to_us };
    fromUs = to_us;
    return part;
  });
}

/** How long a phase is expected to take: of one under way what has passed, and the whole. */
export function aheadSaid(part: Ahead, passedUs: number): string {
  const rest = part.toUs - part.fromUs;
  if (passedUs === 0) return `~${text(durationUs(rest))}`;
  return `${text(durationUs(passedUs))} of ${text(durationUs(passedUs + rest))}`;
}

const AT_PREFILL: readonly SegmentKind[] = ['queue', 'prefill'];
const AT_HOME: readonly SegmentKind[] = ['room', 'join'];

/** The name of a row; of a request prefilled elsewhere with the replica, where that is needed to tell them apart. */
export function rowName({ handover }: RequestDetail, kind: SegmentKind): string {
  const name = sentence(kind);
  if (handover?.prefill === undefined) return name;
  if (AT_PREFILL.includes(kind)) return `${name} r${handover.prefill}`;
  return AT_HOME.includes(kind) ? `${name} r${handover.home}` : name;
}
