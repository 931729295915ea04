// The load that the user gives where the file of a benchmark does not contain it.
import type { ToldLoad } from '../../generated/boundary.ts';

/** A number of the load. */
export type LoadPart = Exclude<keyof ToldLoad, 'own_traffic'>;

/** The numbers that were given. */
export type GivenLoad = Readonly<Partial<Record<LoadPart, number>>>;

/** The inputs for a missing part, by its name. */
export const INPUTS: Readonly<Record<string, readonly (readonly [part: LoadPart, label: string])[]>> = {
  sending: [
    ['rate_per_s', 'Requests per second'],
    ['in_flight', 'Requests in flight'],
  ],
  requests: [['requests', 'Requests sent']],
  prompt_tokens: [['prompt_tokens', 'Tokens of a prompt']],
  output_tokens: [['output_tokens', 'Tokens of an answer']],
};

/** Whether a load is complete: one way of sending, and all other missing parts. */
export function complete(missing: readonly string[], given: GivenLoad): boolean {
  return missing.every((part) => INPUTS[part]?.some(([input]) => given[input] !== undefined) ?? true);
}
