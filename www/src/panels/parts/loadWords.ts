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

/** How a verdict is shown. */
export function loadWords(state: LoadState): LoadWords {
  switch (state) {
    case 'stable':
      return { word: 'stable', shape: '●', tone: 'ok' };
    case 'backlogged':
      return { word: 'backlogged', shape: '◆', tone: 'warn' };
    case 'overloaded':
      return { word: 'overloaded', shape: '▲', tone: 'miss' };
    case 'too-short':
      return { word: 'too short to say', shape: '○', tone: 'none' };
  }
}
