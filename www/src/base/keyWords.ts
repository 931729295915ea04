// Keys and choices of a scenario as words.
const SHORT_WORDS = /\b(fcfs|sjf|slo|kv|gpu|cpu|lru|ttft|tpot|e2e|itl|blis)\b/g;
/** A name that is always in lower case. */
const SMALL_NAME = /\bllm d\b/;

/** Words with a capital letter first, as they are otherwise. */
export const titled = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** `least-loaded` → `Least loaded`, `priority-fcfs` → `Priority FCFS`. */
export function sentence(key: string): string {
  const words = key.replace(/[-_]/g, ' ').replace(SHORT_WORDS, (w) => w.toUpperCase());
  if (SMALL_NAME.test(words)) return words.replace(SMALL_NAME, 'llm-d');
  return titled(words);
}
