// The shapes of the map of blocks, for its legend: in a square of eight by eight.

export const LEGEND_SHAPES = {
  stroke: 'M0 8L8 0',
  dot: 'M3 3h2v2h-2z',
  cross: 'M1 1L7 7M1 7L7 1',
  quarters: ['M0 4h4v4h-4z', 'M0 4h8v4h-8z', 'M0 4h8v4h-8zM4 0h4v4h-4z', 'M0 0h8v8h-8z'],
} as const;

const GROUP_SHAPES = [
  'M0 0h8v8h-8z',
  'M0 1h8v2h-8zM0 5h8v2h-8z',
  'M2 2h4v4h-4z',
  'M0 8L8 0',
  'M0 0L8 8',
  'M4 0V8M0 4H8',
];

/** The shape of a prefix group. */
export const groupShape = (group: number): string => GROUP_SHAPES[group] ?? '';
