// The words of the view of sessions.
import { count, DASH, durationUs, percent, short, text } from '../../base/units.ts';
import type {
  FetchedPart,
  PauseCell,
  PauseMap,
  SessionRow,
  SessionRows,
  SessionTurn,
} from '../../generated/boundary.ts';
import { tierNames } from '../parts/tierNames.ts';

/** Tokens of a prompt that were found below the GPU. */
export const loadedTokens = (turn: SessionTurn): number =>
  turn.found.reduce((sum, part) => sum + (part.tier === 'gpu' ? 0 : part.tokens), 0);

/** Where a prompt was found, a part for each tier. */
function placesOf(parts: SessionTurn['found']): string {
  const all = parts.map(({ tier, tokens }) => `${count(tokens)} ${placeOf(tier)}`);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

function placeOf(tier: string): string {
  if (tier === 'gpu') return 'on the GPU';
  if (tier === 'p2p') return 'at another replica';
  return `in ${tierNames(tier).own}`;
}

export const loadedWords = (turn: SessionTurn): string =>
  `#${turn.request} loaded what it found: ${placesOf(turn.found.filter((part) => part.tier !== 'gpu'))}`;

export const fetchedWords = ({ tokens, after_us }: FetchedPart): string =>
  `${count(tokens)} tokens fetched back ${text(durationUs(after_us))} into the pause`;

/** What a turn found, and what was done for it in the pause before. */
export function turnWords(row: SessionRow, turn: SessionTurn, before: SessionTurn | undefined): string {
  const paused = turn.pause_us === null ? '' : ` after a pause of ${text(durationUs(turn.pause_us))}`;
  const name = `${row.client}, session ${row.number}, #${turn.request}${paused}`;
  return [`${name}: ${foundWords(turn)}`, ...(before ? pauseWords(before) : [])].join(' ');
}

function foundWords(turn: SessionTurn): string {
  if (turn.found_tokens === null) return 'it has not joined a batch yet.';
  const places = turn.found.length > 0 ? `, ${placesOf(turn.found)}` : '';
  const all = `of ${count(turn.prompt_tokens)} prompt tokens ${count(turn.found_tokens)} were found${places}`;
  if (turn.known_tokens === 0) return `${all}. Nothing of it was known before.`;
  return `${all}; of ${count(turn.known_tokens)} known tokens ${count(turn.again_tokens ?? 0)} were computed again.`;
}

function pauseWords(before: SessionTurn): readonly string[] {
  const wanted = before.wanted.map(({ tokens, for_us }) => {
    const time = for_us === null ? 'for ever' : `for ${text(durationUs(for_us))}`;
    return `A directive wanted the first ${count(tokens)} tokens kept ${time}.`;
  });
  return [...wanted, ...before.fetched.map((part) => `${fetchedWords(part)}.`)];
}

/** A length of pauses: its row of the map. */
function lengthWords({ edges_us: edges }: PauseMap, row: number): string {
  const [from = 0, to = 0] = [edges[row], edges[row + 1]];
  const until = text(durationUs(to));
  return from === 0 ? `pauses shorter than ${until}` : `pauses of ${text(durationUs(from))} to ${until}`;
}

/** What a cell of the map has. */
export function cellWords(of: SessionRows, map: PauseMap, cell: PauseCell): string {
  const at = (column: number): string => {
    const us = of.from_us + ((of.to_us - of.from_us) * column) / map.columns;
    return text(durationUs(us));
  };
  const when = `${at(cell.column)} to ${at(cell.column + 1)}`;
  const returns = cell.returns === 1 ? '1 return' : `${count(cell.returns)} returns`;
  const again = `of ${short(cell.known_tokens)} known tokens ${short(cell.again_tokens)} computed again`;
  const most = cell.most_tokens > 0 ? `, most by #${cell.request}` : '';
  return `${when}, ${lengthWords(map, cell.row)}: ${returns}, ${again} (${text(percent(cell.again_share, 1))})${most}`;
}

/** The share of known tokens that was found. */
export function foundShare({ known_tokens: known, again_tokens: again }: SessionRows): string {
  return known > 0 ? text(percent((known - again) / known, 1)) : DASH;
}
