// The edits that a run has passed, those of one instant together.
import type { Flag } from '../../generated/boundary.ts';

export type PassedEdit = { readonly us: number; readonly label: string };

export function passedEdits(flags: readonly Flag[]): readonly PassedEdit[] {
  const out: { us: number; labels: string[] }[] = [];
  for (const { at_us, label, applied, off } of flags) {
    if (!applied || off || at_us === 0) continue;
    const last = out.at(-1);
    if (last?.us === at_us) last.labels.push(label);
    else out.push({ us: at_us, labels: [label] });
  }
  // The name that their pennants have everywhere.
  return out.map(({ us, labels: [only = '', ...more] }) => ({
    us,
    label: more.length === 0 ? only : `${more.length + 1} edits`,
  }));
}
