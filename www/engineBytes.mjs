import { existsSync, statSync } from 'node:fs';

const ENGINE = new URL('pkg/tokenyard_bg.wasm', import.meta.url);

/** How many bytes the page's module has, 0 where it is not built. */
export const engineBytes = () => (existsSync(ENGINE) ? statSync(ENGINE).size : 0);
