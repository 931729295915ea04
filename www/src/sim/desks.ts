// The threads beside the simulation: each answers the questions of its module, and is made when the first is asked. The
// file is kept small, because a page opened by a link loads it first.
import type {
  ComparisonAnswers,
  ComparisonQuestion,
  Diagnostic,
  ExchangeAnswers,
  ExchangeQuestion,
  LinkAnswers,
  LinkQuestion,
  MeasuredAnswers,
  MeasuredQuestion,
  TheoryAnswers,
  TheoryQuestion,
  WhatIfAnswers,
  WhatIfQuestion,
} from '../generated/boundary.ts';
import compare from './compare.ts?worker&url';
import { whenCompiled } from './compiled.ts';
import engine from './engineDesk.ts?worker&url';
import exchange from './exchange.ts?worker&url';
import links from './links.ts?worker&url';
import measured from './measured.ts?worker&url';
import type { AnswerBytes, ToDesk } from './packet.ts';
import { early, thread } from './thread.ts';

const SCRIPTS = { compare, exchange, links, measured, theory: engine, whatIf: engine };
export type DeskName = keyof typeof SCRIPTS;

/** The questions of each thread, and its answers by their names. */
export type Desks = {
  compare: { readonly asked: ComparisonQuestion; readonly answers: ComparisonAnswers };
  exchange: { readonly asked: ExchangeQuestion; readonly answers: ExchangeAnswers };
  links: { readonly asked: LinkQuestion; readonly answers: LinkAnswers };
  measured: { readonly asked: MeasuredQuestion; readonly answers: MeasuredAnswers };
  theory: { readonly asked: TheoryQuestion; readonly answers: TheoryAnswers };
  whatIf: { readonly asked: WhatIfQuestion; readonly answers: WhatIfAnswers };
};

/** The messages of such a thread: an answer, the errors of the input, or a failure. */
export type FromDesk =
  | { readonly id: number; readonly answer: AnswerBytes }
  | { readonly id: number; readonly diagnostics: readonly Diagnostic[] }
  | { readonly id: number; readonly message: string };

/** The interface of a `Worker`; tests use a stand-in. */
export type DeskWorker = {
  postMessage(message: ToDesk): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromDesk>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  /** Whether it failed before a listener was attached. */
  failed?: boolean;
};

/** The real worker. */
export function spawnDesk(name: DeskName): DeskWorker {
  const worker = early<DeskWorker>(thread(SCRIPTS[name], name));
  if (SCRIPTS[name] === engine) whenCompiled((module) => worker.postMessage({ module }));
  return worker;
}
