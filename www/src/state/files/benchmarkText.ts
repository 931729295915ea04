// The text of a benchmark's file for the module that reads benchmarks, which takes JSON and lines of text.
import { readYaml } from '../../base/yaml.ts';

/** Whether a YAML text is a report of llm-d-benchmark or GuideLLM. */
export function isReport(text: string): boolean {
  return (/^scenario:/m.test(text) && /^(results|metrics):/m.test(text)) || /^benchmarks:/m.test(text);
}

/** JSON text with the numbers that only Python writes as null. */
export function pythonsNumbers(text: string): string {
  return text.replace(/([:[,]\s*)-?(?:Infinity|NaN)(?=\s*[,\]}])/g, '$1null');
}

/** A report in YAML as JSON; other text as it is. Throws the parser's own error. */
export async function benchmarkText(text: string): Promise<string> {
  if (/^\s*[{[]/.test(text) || !isReport(text)) return text;
  // Numbers that are not finite stay as words, which mean no limit or no figure.
  return JSON.stringify(await readYaml(text), (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}
