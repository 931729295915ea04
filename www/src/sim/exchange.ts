// The thread that reads and writes the configuration of other programs; only this file imports its module.
import init, { ExchangeDesk } from '../../pkg/exchange.js';
import wasmUrl from '../../pkg/exchange_bg.wasm?url';
import { answering } from './answering.ts';

answering(init({ module_or_path: wasmUrl }), () => new ExchangeDesk());
