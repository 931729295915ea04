// Runs the scenario without the reader's last edit, in a thread of its own, to the instant on screen. It has what is left of
// the machine: while the run plays it works a quarter of the time at most, and a run of many requests has none.
import { createEffect, createMemo, on, onCleanup } from 'solid-js';
import { child, getAt, type Json, setAt } from '../../base/json.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { writeDocument } from '../../base/text.ts';
import { isAsked } from '../../base/view.ts';
import type { Frame, View } from '../../generated/boundary.ts';
import { Client } from '../../sim/client.ts';
import { spawnWorker } from '../../sim/spawn.ts';
import type { App } from '../app.ts';
import type { Edit } from '../edits/edits.ts';
import { askedWindow } from '../run/chartData.ts';
import { shownViews } from '../view/chartList.ts';
import { timeWindow } from '../view/closeup.ts';
import { lastEdit, setWithout } from '../view/lastEdit.ts';

/** The most requests that have arrived: about two seconds of work on a desktop. */
const MOST_ARRIVED = 50_000;
/** The length of a piece of work, and how many times longer it rests after each while the run plays. */
const PIECE_MS = 60;
const RESTS = 3;
/** The first piece, in simulated time, and how much the next may be longer. */
const FIRST_US = 5e6;
const GROWS = 4;

/** What is to be run, and how far. */
type Wanted = {
  readonly text: string;
  readonly trace: File | undefined;
  readonly label: string;
  readonly atUs: number;
  readonly nowUs: number;
};

/** Another run is wanted meanwhile. */
class Outdated extends Error {}

/** `nameOf` says an edit in a few words. */
export function followWithoutEdit(app: Pick<App, 'transport' | 'document'>, nameOf: (edit: Edit) => string): void {
  const { transport, document } = app;
  const latest = createMemo(() => lastEdit(document.listed(), transport.throttledFrame()?.now_us ?? 0), undefined, {
    equals: (a, b) => a?.atUs === b?.atUs && a?.indices.join() === b?.indices.join(),
  });
  const text = createMemo(() => {
    const last = latest();
    return last && writeDocument(withoutEdits(document.current(), last.indices));
  });
  const wanted = (): Wanted | undefined => {
    const [last, scenario, frame] = [latest(), text(), transport.frame()];
    if (!last || scenario === undefined || !frame || frame.counts.arrived > MOST_ARRIVED) return undefined;
    const [first = 0, ...more] = last.indices;
    const edit = document.edits()[first]?.edit;
    const label = more.length > 0 || !edit ? `${more.length + 1} edits` : nameOf(edit);
    const trace = getAt(document.current(), 'workload.trace') === undefined ? undefined : document.traceFile();
    return { text: scenario, trace, label: `without ${label}`, atUs: last.atUs, nowUs: frame.now_us };
  };
  const run = createOtherRun();
  const isWanted = (one: Wanted): boolean => wanted()?.text === one.text;
  let dueMs = 0;
  /** The scenario that cannot be run. */
  let refused: string | undefined;
  const go = oneAtATime(async () => {
    const now = wanted();
    if (!now || now.text === refused) {
      setWithout(undefined);
      return;
    }
    if (transport.playing() && performance.now() < dueMs) return;
    const began = performance.now();
    const pause = async (tookMs: number): Promise<void> => {
      if (!isWanted(now)) throw new Outdated();
      if (transport.mode() !== 'paused') await new Promise((next) => setTimeout(next, RESTS * tookMs));
    };
    try {
      const found = await run.to(now, shownViews(), pause);
      if (isWanted(now)) setWithout({ ...found, label: now.label, fromS: now.atUs / 1e6 });
    } catch (error) {
      setWithout(undefined);
      if (error instanceof Outdated) return;
      // A scenario that is refused without the edit, or a thread that has ended: there is no such run.
      refused = now.text;
      run.end();
    }
    dueMs = performance.now() + RESTS * Math.min(PIECE_MS * RESTS, performance.now() - began);
  });
  createEffect(on([text, transport.refreshTick, transport.mode, shownViews, timeWindow], go));
  // What belongs to another edit goes at once.
  createEffect(on(text, () => setWithout(undefined), { defer: true }));
  onCleanup(() => {
    run.end();
    setWithout(undefined);
  });
}

function withoutEdits(document: Json, indices: readonly number[]): Json {
  const edits = child(document, 'edits');
  const rest = (Array.isArray(edits) ? edits : []).filter((_: Json, i) => !indices.includes(i));
  return setAt(document, 'edits', rest);
}

/** The latest frame of a run, and those who wait for the frame of an instant. */
function createFrames() {
  let latest: Frame | undefined;
  let tell: () => void = () => {};
  return {
    latest: () => latest,
    forget: () => {
      latest = undefined;
    },
    onFrame: (frame: Frame): void => {
      latest = frame;
      tell();
    },
    /** The frame of an instant that the run has reached. */
    async at(us: number): Promise<Frame> {
      while (!latest || (latest.now_us < us && !latest.finished)) {
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
      return latest;
    },
  };
}

/** The other run, in a worker that begins with the first one. */
function createOtherRun() {
  const frames = createFrames();
  let client: Client | undefined;
  let given: string | undefined;
  let at: { readonly us: number; readonly key: Frame['key'] } | undefined;
  let loads = 0;
  let pieceUs = FIRST_US;

  async function started(): Promise<Client> {
    if (client) return client;
    client = new Client(spawnWorker, { onFrame: frames.onFrame, onCrash: end }, (callback) => setTimeout(callback));
    await client.start();
    return client;
  }

  function end(): void {
    client?.end();
    client = undefined;
    given = undefined;
  }

  async function load(run: Client, { text, trace }: Wanted): Promise<void> {
    if (given === text) return;
    at = undefined;
    frames.forget();
    if (trace) await run.readTrace(trace, () => {});
    const how = { useTrace: trace !== undefined, untilUs: 0, thenPlay: false, keeps: false };
    await run.load(text, { id: { run: ++loads, edit: 0 }, ...how });
    given = text;
  }

  /** Goes there piece by piece, and back at once. */
  async function goTo(run: Client, us: number, pause: (tookMs: number) => Promise<void>): Promise<Frame> {
    let from = frames.latest()?.now_us ?? 0;
    if (from > us) {
      frames.forget();
      await run.seek(us);
      from = us;
    }
    while (from < us) {
      const began = performance.now();
      from = Math.min(us, from + pieceUs);
      await run.seek(from);
      const tookMs = performance.now() - began;
      pieceUs *= Math.min(GROWS, Math.max(1 / GROWS, PIECE_MS / Math.max(1, tookMs)));
      if (from < us) await pause(tookMs);
    }
    return frames.at(us);
  }

  return {
    end,
    async to(wanted: Wanted, shown: readonly View[], pause: (tookMs: number) => Promise<void>) {
      const run = await started();
      await load(run, wanted);
      // Until the edit both runs are the same: the key figures there are those before it.
      if (at?.us !== wanted.atUs) at = { us: wanted.atUs, key: (await goTo(run, wanted.atUs, pause)).key };
      const frame = await goTo(run, wanted.nowUs, pause);
      const answers = await run.columns(shown.filter(isAsked), askedWindow(timeWindow(), frame.axis_end_us));
      return { key: at.key, nowUs: frame.now_us, data: Object.fromEntries(answers.map((one) => [one.view, one])) };
    },
  };
}
