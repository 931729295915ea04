import { expect, test } from 'vitest';
import type { SessionRow, SessionTurn } from '../../generated/boundary.ts';
import { cellWords, turnWords } from './sessionWords.ts';

const turn: SessionTurn = {
  request: 7,
  from_us: 30_000_000,
  pause_us: 10_000_000,
  joined_us: 31_000_000,
  first_us: 32_000_000,
  end_us: null,
  prompt_tokens: 5000,
  context_tokens: 5010,
  known_tokens: 4900,
  found_tokens: 4800,
  again_tokens: 100,
  found: [
    { tier: 'gpu', tokens: 1000 },
    { tier: 'p2p', tokens: 3800 },
  ],
  kept: [],
  wanted: [],
  fetched: [],
};
const row: SessionRow = { client: 'agents', number: 3, turns: [], again_tokens: 0, kept_tokens: null };

test('a turn says what it found where, and what was done in the pause before it', () => {
  const before: SessionTurn = {
    ...turn,
    wanted: [{ tokens: 4096, for_us: 12_000_000 }],
    fetched: [{ after_us: 8_000_000, tokens: 640, gpu_tokens: 640 }],
  };
  const said = turnWords(row, turn, before).replaceAll('\u00a0', ' ');
  expect(said).toBe(
    'agents, session 3, #7 after a pause of 10.0 s: of 5,000 prompt tokens 4,800 were found, 1,000 on the GPU and 3,800 at another replica; of 4,900 known tokens 100 were computed again. A directive wanted the first 4,096 tokens kept for 12.0 s. 640 tokens fetched back 8.00 s into the pause.',
  );
});

test('a turn that waits has found nothing yet', () => {
  const waits = { ...turn, pause_us: null, joined_us: null, found_tokens: null, found: [] };
  expect(turnWords(row, waits, undefined)).toBe('agents, session 3, #7: it has not joined a batch yet.');
});

test('a cell of the map says when, how long, and how much', () => {
  const cell = {
    column: 1,
    row: 0,
    returns: 3,
    known_tokens: 4000,
    again_tokens: 1000,
    again_share: 0.25,
    request: 9,
    most_tokens: 600,
  };
  const map = { columns: 10, edges_us: [0, 125_000, 250_000], cells: [cell] };
  const of = {
    from_us: 0,
    to_us: 60_000_000,
    rows: [],
    map,
    sessions: 200,
    returns: 3,
    known_tokens: 4000,
    again_tokens: 1000,
    again: [],
    longest_tokens: 0,
  };
  const said = cellWords(of, map, cell).replaceAll('\u00a0', ' ');
  expect(said).toBe(
    '6.00 s to 12.0 s, pauses shorter than 125 ms: 3 returns, of 4k known tokens 1k computed again (25.0 %), most by #9',
  );
  expect(cellWords(of, map, { ...cell, row: 1, returns: 1, most_tokens: 0 }).replaceAll('\u00a0', ' ')).toContain(
    'pauses of 125 ms to 250 ms: 1 return, of 4k known tokens 1k computed again (25.0 %)',
  );
});
