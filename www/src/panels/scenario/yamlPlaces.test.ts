import { expect, test } from 'vitest';
import { typingAt, YamlPlaces } from './yamlPlaces.ts';

const TEXT = `tokenyard: 1
cluster:
  pools:
    - name: main
      replicas: 4
      engine:
        max_num_seqs: 64
    - name: second
      repl
  routing: least-loaded
`;

/** What is typed at the end of the first line that has `mark`. */
function at(text: string, mark: string): ReturnType<typeof typingAt> {
  const from = text.indexOf(mark);
  const end = text.indexOf('\n', from);
  return typingAt(text, end < 0 ? text.length : end);
}

test('a line belongs to the part above it that is indented less', () => {
  expect(at(TEXT, 'tokenyard')).toEqual({ path: ['tokenyard'], what: 'value', word: '1' });
  expect(at(TEXT, 'replicas')).toEqual({ path: ['cluster', 'pools', 0, 'replicas'], what: 'value', word: '4' });
  expect(at(TEXT, 'max_num')).toEqual({
    path: ['cluster', 'pools', 0, 'engine', 'max_num_seqs'],
    what: 'value',
    word: '64',
  });
  expect(at(TEXT, 'repl\n'.slice(0, 4) + '\n')).toEqual({ path: ['cluster', 'pools', 1], what: 'key', word: 'repl' });
  expect(at(TEXT, 'routing')).toEqual({ path: ['cluster', 'routing'], what: 'value', word: 'least-loaded' });
});

test('dashes may stand below the first letter of their key, and begin a key themselves', () => {
  const text = 'edits:\n- at_us: 5\n- at_us: 9\n  s';
  expect(typingAt(text, text.length)).toEqual({ path: ['edits', 1], what: 'key', word: 's' });
  const fresh = 'edits:\n- at_us: 5\n- a';
  expect(typingAt(fresh, fresh.length)).toEqual({ path: ['edits', 1], what: 'key', word: 'a' });
});

test('an empty line takes the place that its spaces give it', () => {
  const text = 'cluster:\n  pools: []\n  ';
  expect(typingAt(text, text.length)).toEqual({ path: ['cluster'], what: 'key', word: '' });
  const outside = 'cluster:\n  pools: []\n';
  expect(typingAt(outside, outside.length)).toEqual({ path: [], what: 'key', word: '' });
});

test('a problem stands where its key does, or its nearest part', () => {
  const places = new YamlPlaces(TEXT.replace('      repl\n', ''));
  const { from, to } = places.of('cluster.pools[0].replicas');
  expect(TEXT.slice(from, to)).toBe('replicas');
  const unknown = places.of('cluster.pools[0].engine.absent');
  expect(TEXT.slice(unknown.from, unknown.to)).toBe('engine');
  expect(places.of('')).toEqual({ from: 0, to: 1 });
});

test('errors of the parser have their place and one line of text', () => {
  const [error] = new YamlPlaces('a: [1\nb: 2\n').errors();
  expect(error?.message).not.toContain('\n');
  expect(error?.from).toBeGreaterThan(0);
  expect(new YamlPlaces('a: 1\n').errors()).toEqual([]);
});
