// Opens the browser's chooser of files, for a trace, a scenario, a lesson or a benchmark.
import type { App } from '../app.ts';

export function chooseFile(app: Pick<App, 'document'>): void {
  const chooser = document.createElement('input');
  chooser.type = 'file';
  chooser.accept = '.csv,.jsonl,.json,.yaml,.yml,.txt,.log,.prom';
  chooser.addEventListener('change', () => {
    const file = chooser.files?.[0];
    if (file) void app.document.openFile(file);
  });
  chooser.click();
}
