// A guess and its answer in words, for the chart's alternative.
import { placeText, rangeText, unitText } from '../../../base/lessonUnits.ts';
import { sig3 } from '../../../base/units.ts';
import type { DrawQuestion, StepVerdict } from '../../../generated/boundary.ts';
import type { Points } from '../../../state/lessons/lessonGuess.ts';
import { farthest, heightAt } from './guessScale.ts';

/** One sentence: what was drawn, and what the engine found if that may be said. */
export function guessWords(ask: DrawQuestion, draft: Points, verdict: StepVerdict | undefined): string {
  const about = `${ask.y.label} against ${inSentence(ask.x.label)}`;
  if (!verdict || verdict.seeds === 0) {
    const drawn = ask.values.filter((x) => heightAt(draft, x) !== undefined).length;
    return `${about}: ${drawn} of ${ask.values.length} points of your guess are drawn.`;
  }
  const points = (verdict.curve?.points ?? []).filter(({ y }) => y.mean !== null);
  const [first, last] = [points[0], points.at(-1)];
  const engine =
    first && last
      ? `The engine goes from ${unitText(first.y.mean, ask.y.unit)} at ${placeText(first.x, ask.x.unit)} to ` +
        `${unitText(last.y.mean, ask.y.unit)} at ${placeText(last.x, ask.x.unit)}.`
      : 'The engine has no value.';
  const row = farthest(verdict.guess);
  const apart = row
    ? ` It differs most at ${placeText(row.x, ask.x.unit)}: ${unitText(row.engine, ask.y.unit)} ` +
      `(${rangeText(row.lo, row.hi, ask.y.unit)}), ${sig3(row.factor ?? Number.NaN)} times your guess.`
    : '';
  return `${about}. ${engine}${apart}`;
}

/** A label within a sentence: without its capital, unless it is an abbreviation. */
export function inSentence(label: string): string {
  return /^[A-Z](?![A-Z0-9])/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
