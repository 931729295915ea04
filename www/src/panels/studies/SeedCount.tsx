// The choice of how many seeds a study runs with.
import { For, type JSX } from 'solid-js';

const CHOICES = [1, 3, 5, 10];

/** The choice that comes closest to a number from below. */
export const seedCountFor = (seeds: number): number => CHOICES.findLast((n) => n <= seeds) ?? 1;

export function SeedCount(props: { seeds: number; onSeeds: (seeds: number) => void }): JSX.Element {
  return (
    <label>
      Seeds
      <select class="in" value={props.seeds} onChange={(event) => props.onSeeds(Number(event.currentTarget.value))}>
        <For each={CHOICES}>{(n) => <option value={n}>{n}</option>}</For>
      </select>
    </label>
  );
}
