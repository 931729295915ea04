// Figures, scales and changes of the trace inspector.
import { count, DASH, durationS, NBSP, plain, ratePerS, short, sig3, text } from '../../base/units.ts';
import type { TraceChanges, TraceFigures, TraceInspection } from '../../sim/traceTypes.ts';

const DAY_S = 86_400;
const HOUR_S = 3600;

/** An instant of a trace: `2 d 20:00`, `1:05 h`, `61.9 s`. */
export function instantText(s: number): string {
  const day = Math.floor(s / DAY_S);
  const [hours, minutes] = [Math.floor((s % DAY_S) / HOUR_S), Math.floor((s % HOUR_S) / 60)];
  const clock = `${hours}:${String(minutes).padStart(2, '0')}`;
  if (day > 0) return `${day}${NBSP}d ${clock}`;
  return s >= HOUR_S ? `${clock}${NBSP}h` : `${plain(Math.round(s * 10) / 10)}${NBSP}s`;
}

/** A length of time of a trace. */
export function lengthText(s: number): string {
  if (s >= 2 * DAY_S) return `${sig3(s / DAY_S)}${NBSP}d`;
  return s >= HOUR_S ? `${sig3(s / HOUR_S)}${NBSP}h` : text(durationS(s));
}

/** Ticks of a time axis: about five round instants. */
export function timeTicks(lengthS: number): readonly number[] {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, HOUR_S, 7200, 21_600, 43_200, DAY_S, 7 * DAY_S];
  const step = steps.find((one) => lengthS / one <= 7) ?? lengthS / 5;
  return Array.from({ length: Math.floor(lengthS / step) + 1 }, (_, i) => i * step);
}

/** The figures of a trace as it is written. */
export function writtenFigures({ summary, sessions, rate, prompt, output, reuse }: TraceInspection): TraceFigures {
  return {
    requests: summary.requests,
    sessions: sessions?.sessions ?? null,
    duration_s: summary.duration_s,
    mean_per_s: rate.mean_per_s,
    peak_per_s: rate.peak_per_s,
    prompt_mean: prompt.mean,
    prompt_p99: prompt.p99,
    output_mean: output.mean,
    output_p99: output.p99,
    prompt_tokens: summary.prompt_tokens,
    output_tokens: summary.output_tokens,
    reuse: reuse?.unbounded ?? null,
  };
}

/** Names and texts of figures of rows. */
export const FIGURES: readonly (readonly [name: string, text: (figures: TraceFigures) => string])[] = [
  ['Requests', ({ requests }) => count(requests)],
  ['Sessions', ({ sessions }) => (sessions === null ? DASH : count(sessions))],
  ['Lasts', ({ duration_s }) => lengthText(duration_s)],
  ['Rate', ({ mean_per_s }) => text(ratePerS(mean_per_s))],
  ['Busiest', ({ peak_per_s }) => text(ratePerS(peak_per_s))],
  ['Prompt mean', ({ prompt_mean }) => count(prompt_mean)],
  ['Prompt p99', ({ prompt_p99 }) => count(prompt_p99)],
  ['Output mean', ({ output_mean }) => count(output_mean)],
  ['Output p99', ({ output_p99 }) => count(output_p99)],
  ['Tokens in', ({ prompt_tokens }) => short(prompt_tokens)],
  ['Tokens out', ({ output_tokens }) => short(output_tokens)],
  ['Reuse at ∞', ({ reuse }) => (reuse === null ? DASH : `${sig3(reuse * 100)}${NBSP}%`)],
];

export type Evidence = {
  readonly name: string;
  readonly value: string;
  readonly why: string;
  /** Whether it is a guess, or odd. */
  readonly doubtful: boolean;
};

const UNITS: Readonly<Record<string, string>> = { us: 'µs', dates: 'dates' };

/** What was found, each with its evidence. */
export function evidenceOf({ found, arrivals, sessions }: TraceInspection): readonly Evidence[] {
  const at = `${plain(Math.round(arrivals.at_once * 10) / 10)} at once`;
  const evidence: (Evidence | undefined)[] = [
    { name: 'Format', value: found.format, why: found.format_evidence, doubtful: false },
    { name: 'Time unit', value: UNITS[found.unit] ?? found.unit, why: found.unit_evidence, doubtful: false },
    found.block_tokens > 0
      ? {
          name: 'Prefix block',
          value: `${count(found.block_tokens)} tokens`,
          why: found.block_evidence,
          doubtful: false,
        }
      : undefined,
    {
      name: 'Sessions',
      value: sessions ? 'named' : 'none',
      why: sessions ? `${count(sessions.requests)} requests belong to one` : 'no row names a session',
      doubtful: false,
    },
    {
      name: 'Arrivals',
      value: 'as written',
      why: arrivals.is_coarse
        ? `come in steps of ${text(durationS(arrivals.step_s))}, ${at}: see Jitter`
        : `${text(durationS(arrivals.step_s))} between instants in the median`,
      doubtful: arrivals.is_coarse,
    },
  ];
  return evidence.filter((one) => one !== undefined);
}

/** The changes that were made: those that differ from the trace as it is written. */
export function madeChanges(asked: TraceChanges): TraceChanges {
  const { window, speed, subsample, max_prompt_tokens, max_output_tokens, jitter_s } = asked;
  return {
    ...(window ? { window } : {}),
    ...(speed !== undefined && speed > 0 && speed !== 1 ? { speed } : {}),
    ...(subsample !== undefined && subsample > 0 && subsample < 1 ? { subsample } : {}),
    ...(max_prompt_tokens ? { max_prompt_tokens } : {}),
    ...(max_output_tokens ? { max_output_tokens } : {}),
    ...(jitter_s ? { jitter_s } : {}),
  };
}

/** A window within a trace, moved and lengthened by keys. */
export function moved(
  window: NonNullable<TraceChanges['window']>,
  key: string,
  lastsS: number,
): NonNullable<TraceChanges['window']> {
  const { start_s, length_s } = window;
  const to = (start: number, length: number) => {
    const fits = Math.max(lastsS / 1000, Math.min(length, lastsS));
    return { start_s: Math.max(0, Math.min(start, lastsS - fits)), length_s: fits };
  };
  if (key === 'ArrowLeft') return to(start_s - length_s, length_s);
  if (key === 'ArrowRight') return to(start_s + length_s, length_s);
  if (key === '+' || key === '=') return to(start_s, length_s * 1.5);
  if (key === '-' || key === '−') return to(start_s, length_s / 1.5);
  return window;
}
