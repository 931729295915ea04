// The thread of links, traces, descriptions of models and expressions; only this file imports its module.
import init, { LinkDesk } from '../../pkg/links.js';
import wasmUrl from '../../pkg/links_bg.wasm?url';
import { answering } from './answering.ts';

answering(init({ module_or_path: wasmUrl }), () => new LinkDesk());
