// The page's side of the thread that reads and writes the configuration of other programs.
import { type AskedWorker, Asking } from './asking.ts';
import script from './exchange.ts?worker&url';
import type { ExchangeAnswers, ExchangeQuestion } from './exchangeProtocol.ts';
import { thread } from './thread.ts';

export class ExchangeClient extends Asking<ExchangeQuestion, ExchangeAnswers> {}

/** The real worker. */
export function spawnExchange(): AskedWorker<ExchangeQuestion> {
  return thread(script, 'exchange');
}
