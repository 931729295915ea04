// A text box that accepts dropped files.
import type { App } from '../../state/app.ts';
import type { Box } from '../../state/files/files.ts';

/** The handler of a box: `take` gets the unpacked text of a dropped file. The browser handles other drops. */
export function dropInto(app: Pick<App, 'document'>, take: Box): (event: DragEvent) => void {
  return (event) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    // Otherwise the page would open the file.
    event.preventDefault();
    void app.document.openFile(file, take);
  };
}
