// The way in for every file: dropped on the page or on a box, or chosen with a button. What reads files is loaded with the first.
import type { App } from './app.ts';
import type { BenchmarkFile } from './measured.ts';

/** Opens a file, whatever it is. A `box` that asks for text gets the text; a link that waits for its trace gets the trace. */
export async function openFile(
  app: Pick<App, 'document' | 'dialogs' | 'links'>,
  file: File,
  box?: (file: BenchmarkFile) => void,
): Promise<void> {
  const { takeFile } = await import('./files.ts');
  await takeFile(app, file, box);
}
