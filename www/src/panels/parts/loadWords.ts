// The verdict on the load of a run in words: state, shape and tone.
import type { LoadState } from '../../generated/boundary.ts';

export interface LoadWords {
  /** One word. */
  readonly word: string;
  /** The second cue beside colour. */
  readonly shape: string;
  /** Class of the text's colour. */
  readonly tone: 'ok' | 'warn' | 'miss' | 'none';
}

/** How verdicts are shown. */
export const LOAD_WORDS: Readonly<Record<LoadState, LoadWords>> = {
  stable: { word: 'stable', shape: '●', tone: 'ok' },
  backlogged: { word: 'backlogged', shape: '◆', tone: 'warn' },
  overloaded: { word: 'overloaded', shape: '▲', tone: 'miss' },
  'too-short': { word: 'too short to say', shape: '○', tone: 'none' },
};
