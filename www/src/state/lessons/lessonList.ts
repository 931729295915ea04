// The lessons of the page: their names in order, and their texts. Loaded with the first lesson.

export type ListedLesson = { readonly name: string; readonly chapter: string };

const chapter = (title: string, ...names: string[]): ListedLesson[] => names.map((name) => ({ name, chapter: title }));

/** The lessons in their order. Names are links: they never change. */
export const LESSONS: readonly ListedLesson[] = [
  ...chapter('One replica', 'prefill-and-decode', 'batching', 'the-knee', 'variance'),
  ...chapter('Memory and routing', 'paged-kv', 'prefix-caching', 'routing', 'affinity-and-balance'),
  ...chapter('Sharing and scale', 'chunked-prefill', 'priorities', 'autoscaling', 'prefill-apart-from-decode'),
  ...chapter('KV beyond the GPU', 'more-cache-lower-hit-rate', 'eight-small-caches-or-one-store'),
];

/** The texts, each a chunk of its own. */
const TEXTS = import.meta.glob<string>('../../generated/lessons/*.json', { query: '?raw', import: 'default' });

const fileOf = (name: string): string => `../../generated/lessons/${name}.json`;

/** The names of the lessons that are there. */
export function lessonNames(): readonly string[] {
  return LESSONS.map(({ name }) => name).filter((name) => Object.hasOwn(TEXTS, fileOf(name)));
}

/** The text of a lesson, JSON; undefined for a name that is none. */
export async function loadLesson(name: string): Promise<string | undefined> {
  return Object.hasOwn(TEXTS, fileOf(name)) ? TEXTS[fileOf(name)]?.() : undefined;
}
