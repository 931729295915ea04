import { expect, test } from 'vitest';
import type { EvidenceClass, PoolEvidence } from '../../generated/boundary.ts';
import { basisOf, isGuess, keyOf, shortOf, valuesOf, weakest } from './trustWords.ts';

function pool(name: string, of: EvidenceClass, error: PoolEvidence['error'] = {}): PoolEvidence {
  const value = (text: string) => ({ value: text, class: of });
  return {
    pool: name,
    latency: 'calibrated',
    model: value('llama-3.1-8b'),
    gpu: value('H100'),
    engine: value('vLLM 0.18 and later'),
    precision: value('16-bit weights'),
    tp: value('TP 1'),
    class: of,
    error,
    near_knee: {},
    chip: of,
    text: '',
  };
}

test('the pool of which least is known counts, the first of equal ones', () => {
  const pools = [pool('a', 'fitted'), pool('b', 'guessed'), pool('c', 'guessed'), pool('d', 'carried')];
  expect(weakest(pools)?.pool).toBe('b');
  expect(weakest([pool('a', 'same-chip'), pool('b', 'fitted')])?.pool).toBe('a');
  expect(weakest([])).toBeUndefined();
  expect(weakest(undefined)).toBeUndefined();
});

test('only what was fitted has three bars, and only a guess is marked', () => {
  const all: readonly EvidenceClass[] = ['fitted', 'same-chip', 'carried', 'own', 'guessed'];
  expect(all.map(basisOf)).toEqual(['measured', 'calibrated', 'calibrated', 'modelled', 'modelled']);
  expect(all.filter(isGuess)).toEqual(['guessed']);
});

test('a key figure has the error of TPOT, else of the next figure that has one', () => {
  const band = (median: number) => ({ median, p90: median, n: 3 });
  expect(keyOf(pool('a', 'fitted', { tpot: band(0.02), ttft: band(0.3) }))).toEqual({ error: 0.02, small: ['TPOT'] });
  expect(keyOf(pool('a', 'fitted', { ttft: band(0.3) }))).toEqual({ error: 0.3, small: ['TTFT'] });
  expect(keyOf(pool('a', 'own'))).toEqual({ error: undefined, small: ['error unknown'] });
});

test('over the knee nothing was validated, so that no number stands there', () => {
  const error = { tpot: { median: 2.06, p90: 6.8, n: 10 } };
  expect(keyOf({ ...pool('a', 'carried', error), regime: 'over' })).toEqual({
    error: undefined,
    small: ['not validated'],
  });
});

test('all five values are listed', () => {
  expect(valuesOf(pool('a', 'own')).map(([name, { value }]) => `${name}: ${value}`)).toEqual([
    'Model: llama-3.1-8b',
    'GPU: H100',
    'Engine: vLLM 0.18 and later',
    'Precision: 16-bit weights',
    'Parallelism: TP 1',
  ]);
});

test('the top bar has class and error, and marks a guess', () => {
  const near = { ...pool('a', 'carried'), chip: 'carried · TPOT ±3.5 %, near the knee ±10 %' };
  expect(shortOf(near)).toBe('carried · TPOT ±3.5 %');
  expect(shortOf({ ...pool('a', 'guessed'), chip: 'guessed · error unknown' })).toBe('▲ guessed · error unknown');
});
