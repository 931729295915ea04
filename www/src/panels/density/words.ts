// The words of the view: names of latencies, spans and what the maps show, as sentences.
import { LATENCIES } from '../../base/latencies.ts';
import { count, durationUs, NBSP, plain, text } from '../../base/units.ts';
import type { Density, LatencyBox, RequestState } from '../../generated/boundary.ts';

export const STATES: Readonly<Record<RequestState, string>> = {
  'in-pipeline': 'on its way',
  queued: 'waiting',
  running: 'running',
  completed: 'done',
  rejected: 'refused',
  dropped: 'dropped',
  transferring: 'in transfer',
  landed: 'landed',
  lost: 'lost',
};

/** Seconds of an instant, as many decimals as the axis needs. */
const seconds = (us: number): string => plain(Number((us / 1e6).toFixed(us % 1e6 === 0 ? 0 : 2)));

export const timeWords = (fromUs: number, toUs: number): string =>
  `${seconds(fromUs)} – ${seconds(Math.round(toUs / 1000) * 1000)}${NBSP}s`;

/** A range of latencies with the unit once where both have the same. */
export function latencyWords(leastUs: number, mostUs: number): string {
  const [least, most] = [durationUs(leastUs), durationUs(mostUs)];
  return `${least.unit === most.unit ? least.value : text(least)} – ${text(most)}`;
}

export const boxWords = (box: LatencyBox): string =>
  `${timeWords(box.from_us, box.to_us)}, ${LATENCIES[box.of].ofRequest} ${latencyWords(box.least_us, box.most_us)}`;

/** What a column of the map holds: requests by arrival, or gaps by the instant of the later token. */
export const countedWords = (map: Density): string =>
  `${plain(map.width_us / 1e6)}${NBSP}s × ${Math.max(0, map.edges_us.length - 1)} bins, ${map.by_arrival ? 'by arrival' : 'by instant of the token'}`;

/** The map in one sentence, for those who do not see it. */
export function mapSentence(map: Density | undefined, selected: string): string {
  if (!map || map.total === 0) return 'No latency is known yet.';
  const things = map.by_arrival ? 'requests' : 'gaps between tokens';
  const objective = map.slo_us > 0 ? ` The objective is ${text(durationUs(map.slo_us))}.` : '';
  const brushed = selected === '' ? '' : ` ${selected}.`;
  return `${LATENCIES[map.of].name}: ${count(map.total)} ${things}, at most ${count(map.most)} in a cell, ${countedWords(map)}.${objective}${brushed}`;
}

/** The cell under the pointer. */
export function cellWords(map: Density, column: number, row: number): string {
  const rows = map.edges_us.length - 1;
  const from = map.from_us + column * map.width_us;
  const n = map.counts[column * rows + row] ?? 0;
  const latency = latencyWords(map.edges_us[row] ?? 0, map.edges_us[row + 1] ?? 0);
  return `${timeWords(from, from + map.width_us)}, ${latency}: ${count(n)}`;
}
