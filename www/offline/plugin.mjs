import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Writes the service worker with the names of all files of this build: offline/worker.js. */
export function serviceWorker() {
  return {
    name: 'service-worker',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const fixed = readdirSync(at('../public')).map((file) => [`./${file}`, readFileSync(at(`../public/${file}`))]);
      const index = bundle['index.html'];
      const text = index?.type === 'asset' ? index.source : '';
      // The pages of lessons only lead to the page: without a network the worker does that.
      const isKept = (file) => file !== 'index.html' && !file.startsWith('learn/') && !file.endsWith('.map');
      const built = Object.keys(bundle).filter(isKept);
      const files = [...built.map((file) => `./${file}`), ...fixed.map(([file]) => file)].sort();
      const version = createHash('sha256').update(JSON.stringify(files)).update(text);
      for (const [, content] of fixed) version.update(content);
      const head = `const VERSION = '${version.digest('hex').slice(0, 16)}';\nconst FILES = ${JSON.stringify(files)};\n`;
      const source = head + readFileSync(at('worker.js'), 'utf8');
      this.emitFile({ type: 'asset', fileName: 'sw.js', source });
    },
  };
}
