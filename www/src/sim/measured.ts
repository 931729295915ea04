// The thread that reads benchmarks and makes files of runs; only this file imports its module.
import init, { MeasuredDesk } from '../../pkg/measured.js';
import wasmUrl from '../../pkg/measured_bg.wasm?url';
import { answering } from './answering.ts';

answering(init({ module_or_path: wasmUrl }), () => new MeasuredDesk());
