// A simulation of an LLM-serving cluster, in this thread or in a worker of its own.
import type {
  ColumnsQuery,
  Diagnostic,
  EventRows,
  EventsQuery,
  Frame,
  FrameQuery,
  Report,
  RequestDetail,
  Stop,
} from './boundary.js';
import {
  type Answer,
  type Arguments,
  type Call,
  type ColumnSet,
  Core,
  type Method,
  type ModuleSource,
  type Reply,
  ScenarioError,
} from './core.js';

export type * from './boundary.js';
export { type ColumnSet, type ModuleSource, ScenarioError } from './core.js';

/** A scenario: JSON text, or a value that is written as JSON. */
export type ScenarioInput = string | { readonly [key: string]: unknown };

export type Options = {
  /** Run in a worker of its own, so that this thread stays free. Needs `Worker`, which browsers and Deno have. */
  readonly worker?: boolean;
  /** Keep what views need: frames, events, single requests, going back. Without it a run takes less memory. Default true. */
  readonly watched?: boolean;
  /** Where the module comes from; default the file of this package. */
  readonly module?: ModuleSource;
};

/** Where calls go. */
type Host = {
  call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>>;
  end(): void;
};

const textOf = (scenario: ScenarioInput): string =>
  typeof scenario === 'string' ? scenario : JSON.stringify(scenario);

/** A run in this thread. */
function here(): Host {
  const core = new Core();
  return {
    async call<M extends Method>(method: M, ...args: Arguments<M>): Promise<Answer<M>> {
      const call = core[method] as (...args: Arguments<M>) => Answer<M> | Promise<Answer<M>>;
      return call.apply(core, args);
    },
    end: () => core.end(),
  };
}

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

/** A run in a worker. */
function apart(): Host {
  if (typeof Worker === 'undefined') throw new Error('there are no workers here: leave out `worker`');
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const lose = (message: string): void => {
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
  };
  worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    const asked = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.problems) asked?.reject(new ScenarioError(data.problems));
    else if (data.message !== undefined) asked?.reject(new Error(data.message));
    else asked?.resolve(data.value as never);
  });
  worker.addEventListener('error', (event) => lose(event.message || 'the worker could not be started'));
  return {
    call: <M extends Method>(method: M, ...args: Arguments<M>) =>
      new Promise<Answer<M>>((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        const call: Call = { id: last, method, args };
        worker.postMessage(call);
      }),
    end: () => {
      worker.terminate();
      lose('the simulation has ended');
    },
  };
}

const hostFor = (options: Options): Host => (options.worker ? apart() : here());

/** A run in progress. The same scenario, seed and edits give the same report and the same digest everywhere. */
export class Simulation {
  private constructor(private readonly host: Host) {}

  /** Loads a scenario, at its beginning; throws a `ScenarioError` with all its problems. */
  static async load(scenario: ScenarioInput, options: Options = {}): Promise<Simulation> {
    const host = hostFor(options);
    try {
      await host.call('load', textOf(scenario), options.watched ?? true, options.module);
    } catch (error) {
      host.end();
      throw error;
    }
    return new Simulation(host);
  }

  /** All problems of a scenario, without running it. */
  static async check(scenario: ScenarioInput, options: Options = {}): Promise<Diagnostic[]> {
    const host = hostFor(options);
    try {
      return await host.call('check', textOf(scenario), options.module);
    } finally {
      host.end();
    }
  }

  /** Runs up to and including an instant in seconds, or to the end: `until` or `finished`. */
  advance(untilS?: number): Promise<Stop> {
    return this.host.call('advance', untilS);
  }

  /** Goes to an instant in seconds, back or ahead. A run that is not watched goes ahead only. */
  seek(untilS: number): Promise<Stop> {
    return this.host.call('seek', untilS);
  }

  /** Makes an edit at the present instant, such as `{ set: { 'cluster.routing': 'least-loaded' } }`. */
  apply(edit: { readonly [key: string]: unknown }): Promise<void> {
    return this.host.call('apply', JSON.stringify(edit));
  }

  /** The present instant in seconds. */
  nowS(): Promise<number> {
    return this.host.call('nowS');
  }

  /** The report so far, as `tokenyard run --json` prints it. */
  report(): Promise<Report> {
    return this.host.call('report');
  }

  /** The digest of the report: equal digests mean equal results. */
  digest(): Promise<string> {
    return this.host.call('digest');
  }

  /** The state at the present instant. */
  frame(asked: FrameQuery): Promise<Frame> {
    return this.host.call('frame', asked);
  }

  /** The columns of a view over time, as arrays of numbers. */
  columns(asked: ColumnsQuery): Promise<ColumnSet> {
    return this.host.call('columns', asked);
  }

  /** Lines of the event log. */
  events(asked: EventsQuery): Promise<EventRows> {
    return this.host.call('events', asked);
  }

  /** One request in full, by its number from 0; `null` if it has not arrived. */
  request(number: number): Promise<RequestDetail | null> {
    return this.host.call('request', number);
  }

  /** The scenario with all edits made so far, as JSON text. */
  scenario(): Promise<string> {
    return this.host.call('scenario');
  }

  /** Ends the run and frees its memory. */
  end(): void {
    this.host.end();
  }
}
