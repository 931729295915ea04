// The basis of numbers: three bars measured, two calibrated, one modelled; and the mark of a run outside the measured
// range.

import { createMemo, For, type JSX, Show } from 'solid-js';
import { type Schema, text } from '../../base/schema.ts';
import { DASH, NBSP, sig3 } from '../../base/units.ts';
import { EvidenceGlyph } from '../../draw/glyphs.tsx';
import type { CoefficientEvidence, Evidence } from '../../generated/boundary.ts';
import { TableHead } from '../parts/TableHead.tsx';
import { TrustChip } from '../parts/Trust.tsx';

const COEFFICIENTS = 'cluster.pools[0].latency.calibrated.coefficients';

/** The basis of the numbers of the run on screen. */
export function EvidencePanel(props: { evidence: Evidence | undefined; schema: Schema }): JSX.Element {
  const coefficients = createMemo(() => props.evidence?.coefficients ?? []);
  const said = (name: string, key: string): string => String(props.schema.said(`${COEFFICIENTS}.${name}`, key) ?? '');
  const valued = (name: string, value: string): string =>
    said(name, 'x-unit') === '' ? value : `${value}${NBSP}${said(name, 'x-unit')}`;
  /** The interval, limited to allowed values. */
  const interval = ({ name, value, half }: CoefficientEvidence): string => {
    if (half === undefined) return DASH;
    const [low, high] = [Number(said(name, 'minimum')), Number(said(name, 'maximum'))];
    return `${sig3(Math.max(low, value - half))} to ${sig3(Math.min(high, value + half))}`;
  };
  return (
    <Show when={props.evidence}>
      {(evidence) => (
        <div class="truth-block">
          <h3>What the numbers of this run are based on</h3>
          <ul class="rests">
            <For each={evidence().parts}>
              {(part) => (
                <li>
                  <EvidenceGlyph basis={part.basis} />
                  <span>
                    <b>{part.what === 'steps' ? 'Step times' : 'KV blocks'}</b>
                    {evidence().parts.length > 2 ? `, pool ${part.pool}` : ''}:{' '}
                    {part.says.startsWith(part.basis) ? '' : `${part.basis}, `}
                    {part.says}.
                  </span>
                </li>
              )}
            </For>
            <li>
              <TrustChip pools={evidence().pools} label="Latency" />
            </li>
            <For each={evidence().outside}>
              {(words) => (
                <li>
                  <span class="wa">Outside the data: {words}.</span>
                </li>
              )}
            </For>
          </ul>
          <Show when={coefficients().length > 0}>
            <table class="measured">
              <TableHead names={['Coefficient', 'value', 'interval 95 %']} />
              <tbody>
                <For each={coefficients()}>
                  {(c) => (
                    <tr>
                      <th scope="row" title={text(props.schema.said(`${COEFFICIENTS}.${c.name}`, 'description'))}>
                        {said(c.name, 'x-label')}
                      </th>
                      <td>{valued(c.name, sig3(c.value))}</td>
                      <td>{interval(c)}</td>
                    </tr>
                  )}
                </For>
              </tbody>
            </table>
          </Show>
        </div>
      )}
    </Show>
  );
}
