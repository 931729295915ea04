// The keys of the lanes, in one table: what the view does with each, and what it says of them.

export type LaneAction =
  | 'zoom-in'
  | 'zoom-out'
  | 'left'
  | 'right'
  | 'step-back'
  | 'step-on'
  | 'fit'
  | 'select'
  | 'replica-back'
  | 'replica-on'
  | 'open'
  | 'leave';

const KEYS: Readonly<Record<string, LaneAction>> = {
  w: 'zoom-in',
  '+': 'zoom-in',
  '=': 'zoom-in',
  s: 'zoom-out',
  '-': 'zoom-out',
  a: 'left',
  d: 'right',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ',': 'step-back',
  '.': 'step-on',
  f: 'fit',
  '0': 'fit',
  r: 'select',
  '[': 'replica-back',
  ']': 'replica-on',
  ArrowUp: 'replica-back',
  ArrowDown: 'replica-on',
  Enter: 'open',
  Escape: 'leave',
};

/** What a key does to the lanes; undefined leaves it to the page. */
export function laneAction(event: {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}): LaneAction | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.shiftKey && event.key !== '+')) return undefined;
  return KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
}

/** The keys shown in the row of tools: keys, and what they do. */
export const SHOWN_KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['W', 'S'], 'zoom'],
  [['A', 'D'], 'pan'],
  [[',', '.'], 'step'],
  [['F'], 'fit'],
];

/** All of them in a sentence, for assistive technology. */
export const KEYS_SAY =
  'W and S zoom, A and D pan, comma and period select a step, F fits the run, R selects the window as a span, [ and ] choose a replica, Enter opens its requests.';
