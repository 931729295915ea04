// The run and its module: what the page's thread or a worker calls. Times are in seconds; the module has whole microseconds.
import type {
  ColumnsQuery,
  Diagnostic,
  EventRows,
  EventsQuery,
  Frame,
  FrameQuery,
  Report,
  RequestDetail,
  RunAnswers,
  Stop,
} from './boundary.js';
import init, { Sim } from './tokenyard.js';

/** The module: its bytes, compiled, a response or an address. Left out: the file of this package. */
export type ModuleSource = BufferSource | WebAssembly.Module | Response | URL | string;

/** Columns of numbers of equal length, with their names. */
export type ColumnSet = { names: string[]; columns: Float64Array<ArrayBuffer>[] };

/** A scenario that cannot be run, or an edit that cannot be made, with all its problems. */
export class ScenarioError extends Error {
  readonly problems: readonly Diagnostic[];

  constructor(problems: readonly Diagnostic[]) {
    const said = (d: Diagnostic): string => `${d.path}: ${d.found}; allowed: ${d.allowed}; ${d.fix}`;
    super(problems.map(said).join('\n'));
    this.name = 'ScenarioError';
    this.problems = problems;
  }
}

/** Milliseconds after which a run lets other work happen. */
const SLICE_MS = 12;
const US_PER_S = 1e6;
const END_US = Number.MAX_SAFE_INTEGER;

let loaded: Promise<unknown> | undefined;

/** Loads the module, once. */
export function loadModule(source?: ModuleSource): Promise<unknown> {
  loaded ??= sourceOf(source).then((module_or_path) => init({ module_or_path }));
  loaded.catch(() => {
    loaded = undefined;
  });
  return loaded;
}

async function sourceOf(source: ModuleSource | undefined): Promise<ModuleSource> {
  if (source !== undefined) return source;
  const beside = new URL('./tokenyard_bg.wasm', import.meta.url);
  if (beside.protocol !== 'file:') return beside;
  // Node.js: fetch reads no files. The name is a variable so that no bundler looks for it.
  const files = 'node:fs/promises';
  const { readFile }: { readFile: (file: URL) => Promise<Uint8Array<ArrayBuffer>> } = await import(
    /* @vite-ignore */ files
  );
  return readFile(beside);
}

/** Runs what the module throws lists of problems from. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (Array.isArray(error)) throw new ScenarioError(error);
    throw error;
  }
}

/** A run in this thread. */
export class Core {
  private sim: Sim | undefined;

  /** Loads the module, and a scenario, JSON text. */
  async load(text: string, watched: boolean, module?: ModuleSource): Promise<void> {
    await loadModule(module);
    this.end();
    this.sim = refusing(() => (watched ? new Sim(text) : Sim.unwatched(text)));
  }

  /** All problems of a scenario, JSON text. */
  async check(text: string, module?: ModuleSource): Promise<Diagnostic[]> {
    await loadModule(module);
    return Sim.check(text);
  }

  private get run(): Sim {
    if (this.sim) return this.sim;
    throw new Error('the simulation has ended');
  }

  /** The answer to a question about the run at the present instant. */
  private answer<K extends keyof RunAnswers>(kind: K, query: unknown): RunAnswers[K] {
    const [json] = this.run.ask(JSON.stringify({ [kind]: query }));
    return JSON.parse(new TextDecoder().decode(json));
  }

  /** Runs up to an instant, or to the end, in slices between which other work happens. */
  async advance(untilS?: number): Promise<Stop> {
    const untilUs = untilS === undefined ? END_US : Math.min(untilS * US_PER_S, END_US);
    for (;;) {
      const stop = this.run.advance(untilUs, SLICE_MS);
      if (stop !== 'events') return stop;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }

  /** Goes to an instant before or after the present one. */
  seek(untilS: number): Promise<Stop> {
    this.run.seek(untilS * US_PER_S);
    return this.advance(untilS);
  }

  /** Makes an edit, JSON text, at the present instant. */
  apply(edit: string): void {
    const problems = refusing(() => this.run.apply(edit));
    if (problems.some((d) => d.severity === 'error')) throw new ScenarioError(problems);
  }

  nowS(): number {
    return this.run.nowUs() / US_PER_S;
  }

  report(): Report {
    return JSON.parse(this.answer('report', null).json);
  }

  digest(): string {
    return this.answer('report', null).digest;
  }

  frame(asked: FrameQuery): Frame {
    return JSON.parse(new TextDecoder().decode(this.run.frame(asked)));
  }

  columns(asked: ColumnsQuery): ColumnSet {
    return this.run.columns(asked);
  }

  events(asked: EventsQuery): EventRows {
    return this.answer('events', asked);
  }

  request(number: number): RequestDetail | null {
    return this.answer('inspect', number);
  }

  scenario(): string {
    return this.run.scenario();
  }

  end(): void {
    this.sim?.free();
    this.sim = undefined;
  }
}

/** The functions of a run by name. */
export type Method = Exclude<keyof Core, 'run'>;
export type Arguments<M extends Method> = Parameters<Core[M]>;
export type Answer<M extends Method> = Awaited<ReturnType<Core[M]>>;

/** A call as it travels to a worker. */
export type Call = { id: number; method: Method; args: unknown[] };
/** Its answer. */
export type Reply = { id: number; value?: unknown; problems?: readonly Diagnostic[]; message?: string };
