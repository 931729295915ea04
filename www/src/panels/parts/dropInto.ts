// A text box that takes a file dropped on it.
import type { App } from '../../state/app.ts';
import type { Box } from '../../state/files.ts';

/** The handler of a box: `take` gets the text of a file that is dropped there, unpacked. Other drops are the browser's. */
export function dropInto(app: Pick<App, 'document'>, take: Box): (event: DragEvent) => void {
  return (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    // The page would open it.
    event.preventDefault();
    void app.document.openFile(file, take);
  };
}
