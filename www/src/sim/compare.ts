// The thread that compares runs; only this file imports its module.
import init, { ComparisonDesk } from '../../pkg/compare.js';
import wasmUrl from '../../pkg/compare_bg.wasm?url';
import { answering } from './answering.ts';

answering(init({ module_or_path: wasmUrl }), () => new ComparisonDesk());
