// A race or a sweep as the text of a link: its settings as JSON in base64 for addresses. What is read is checked piece
// by piece, because anybody writes links.
import { child, isObject, type Json } from '../../base/json.ts';
import type { RankBy } from '../../generated/boundary.ts';
import { entrantsFrom } from '../../state/studies/entrants.ts';
import type { Entrant } from '../../state/studies/race.ts';
import { ENTRANTS_MOST } from '../../state/studies/studyFiles.ts';

/** The longest text that a link takes. */
export const STUDY_MOST = 2000;

/** The settings of a race. */
export type RaceAsked = {
  readonly kind: 'race';
  readonly of: 'Routers' | 'Autoscalers';
  readonly chosen: readonly string[];
  readonly own: readonly Entrant[];
  readonly seeds: number;
  readonly by: RankBy;
};

/** The settings of a sweep. */
export type SweepAsked = {
  readonly kind: 'sweep';
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly steps: number;
  readonly seeds: number;
  readonly routers: readonly string[];
};

export type StudyAsked = RaceAsked | SweepAsked;

const BY: readonly RankBy[] = ['met-share', 'ttft-p99', 'e2e-p99', 'goodput', 'usd'];
/** Most policies in a list, and most characters of a name or a number in it. */
const NAMES = 64;
const LETTERS = 200;

/** The text of a study; undefined if it is too long for a link. */
export function studyText(asked: StudyAsked): string | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(asked));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const text = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return text.length <= STUDY_MOST ? text : undefined;
}

/** The study of a text; undefined if it is none. */
export function readStudyText(text: string): StudyAsked | undefined {
  if (text.length > STUDY_MOST) return undefined;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

function checked(value: Json): StudyAsked | undefined {
  if (!isObject(value)) return undefined;
  const seeds = wholeOf(child(value, 'seeds'), 10);
  if (value.kind === 'race')
    return {
      kind: 'race',
      of: value.of === 'Autoscalers' ? 'Autoscalers' : 'Routers',
      chosen: namesOf(child(value, 'chosen')),
      own: entrantsFrom(child(value, 'own'), ENTRANTS_MOST),
      seeds,
      by: BY.find((by) => by === value.by) ?? 'met-share',
    };
  if (value.kind !== 'sweep') return undefined;
  return {
    kind: 'sweep',
    path: textOf(child(value, 'path')),
    from: textOf(child(value, 'from')),
    to: textOf(child(value, 'to')),
    steps: Math.max(2, wholeOf(child(value, 'steps'), 15)),
    seeds,
    routers: namesOf(child(value, 'routers')),
  };
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value.slice(0, LETTERS) : '');

const namesOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.slice(0, NAMES).map(textOf) : [];

const wholeOf = (value: Json | undefined, most: number): number =>
  typeof value === 'number' && Number.isInteger(value) ? Math.min(most, Math.max(1, value)) : 1;
