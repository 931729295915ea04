import { expect, test } from 'vitest';
import { columnsText, tableOf } from './traceTable.ts';

test('the first rows of CSV and of JSON lines are a table', () => {
  expect(tableOf('when,in,out\n1,2,3\n"a,b",,"x ""y"""\n')).toEqual({
    names: ['when', 'in', 'out'],
    rows: [
      ['1', '2', '3'],
      ['a,b', '', 'x "y"'],
    ],
  });
  expect(tableOf('{"t": 1, "in": 2, "ids": [1]}\n{"t": 2, "in": "x"}\n')).toEqual({
    names: ['t', 'in', 'ids'],
    rows: [
      ['1', '2', '[1]'],
      ['2', 'x', ''],
    ],
  });
  const long = `a,b,c\n${'1,2,3\n'.repeat(20)}`;
  expect(tableOf(long)?.rows).toHaveLength(5);
});

test('text without three columns is no table', () => {
  expect(tableOf('')).toBeUndefined();
  expect(tableOf('some words\nand more')).toBeUndefined();
  expect(tableOf('{"a": 1}')).toBeUndefined();
});

test('names of columns are the text of the option of the command line', () => {
  const names = new Map([
    ['output', 'out'],
    ['arrival', 't'],
    ['tenant', 'team'],
    ['prompt', 'in'],
  ] as const);
  expect(columnsText(names, 'ms')).toBe('arrival:ms=t,prompt=in,output=out,tenant=team');
  expect(columnsText(names, '')).toBe('arrival=t,prompt=in,output=out,tenant=team');
  expect(columnsText(new Map([['arrival', 't']]), '')).toBeUndefined();
});

test('a table with semicolons or tabs has the same columns as one with commas', () => {
  const rows = [
    ['when', 'prompt, tokens', 'answer'],
    ['0.5', '1 000', 'x'],
  ];
  const as = (separator: string): string =>
    rows.map((row) => row.map((field) => `"${field}"`).join(separator)).join('\n');
  const commas = tableOf(as(','));
  expect(commas?.names).toEqual(rows[0]);
  expect(tableOf(as(';'))).toEqual(commas);
  expect(tableOf(as('\t'))).toEqual(commas);
  expect(tableOf('t;in;out\n0,5;7;3\n')?.rows).toEqual([['0,5', '7', '3']]);
});
