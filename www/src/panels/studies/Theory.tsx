// A law of queueing theory over the charts of the run: its choice, its assumptions and its line. Loaded when it is
// switched on.
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import type { Over } from '../../charts/timeContent.ts';
import type { TheoryOfRun, View } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { theoryOfRun } from '../../state/studies/theory.ts';
import { setTheoryLaw, theoryLaw } from '../../state/view/theoryLaw.ts';
import { LawChoice, ViolatedOf } from './TheoryKey.tsx';
import { atEdge, outside, pieces, placed, quietPlace, stretches, strokes } from './theoryLine.ts';

/** Upper bound of the mean width of a character, in pixels. */
const WIDE = 6.2;
/**
 * Limits on questions to the law during a run: the least time between two, and the share of time that they may take
 * (one part in this many).
 */
const LEAST_MS = 2000;
const SHARE = 20;

export default function Theory(props: {
  app: Pick<App, 'transport' | 'document' | 'studies'>;
  onOver: (over: Over | undefined) => void;
}): JSX.Element {
  const app = props.app;
  const law = (): string => theoryLaw() ?? '';
  const [found, setFound] = createSignal<TheoryOfRun>();
  const [failed, setFailed] = createSignal(false);
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    if (app.transport.mode() !== 'paused' && began < due) return;
    try {
      const outcomes = await app.studies.outcomes();
      setFound(await theoryOfRun({ document: app.document.current(), outcomes }, law()));
      setFailed(false);
    } catch {
      setFound(undefined);
      setFailed(true);
    }
    due = performance.now() + Math.max(LEAST_MS, SHARE * (performance.now() - began));
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, law], ask));
  createEffect(() => {
    const now = found();
    props.onOver(now && overOf(now));
  });
  onCleanup(() => props.onOver(undefined));
  return (
    <span class="theory-head">
      <svg class="theory-key" width="18" height="8" viewBox="0 0 18 8" aria-hidden="true">
        <path d="M0 4h18" />
      </svg>
      <span title="The line of the law is a mean; the lines of the run are its 50th, 90th and 99th percentiles">
        mean by
      </span>
      <LawChoice
        theory={found()?.theory}
        law={law()}
        label="Law of queueing theory"
        onLaw={(next) => {
          due = 0;
          setTheoryLaw(next);
        }}
      />
      <Show when={found()} fallback={<Show when={failed()}>no law could be computed</Show>}>
        {(f) => <ViolatedOf theory={f().theory} />}
      </Show>
    </span>
  );
}

/** The line of a law over the charts that have its times, its throughput and its queues. */
function overOf({ theory, line }: TheoryOfRun): Over {
  const title = theory.laws.find((l) => l.law === theory.chosen)?.title ?? '';
  const values: Readonly<Partial<Record<View, readonly (number | null)[]>>> = {
    'ttft-over-time': line.ttft_ms,
    'e2e-over-time': line.e2e_ms,
    'itl-over-time': line.itl_ms,
    'wait-over-time': line.wait_ms,
    throughput: line.finished_per_s,
    'queue-depth': line.waiting,
  };
  return (chart) => {
    const { view, range, x, y, box } = chart;
    const of = values[view];
    if (!of) return undefined;
    const whole = pieces(line.t_s, of, line.violated);
    const side = outside(whole, range);
    const mean = view === 'queue-depth' ? `mean of a replica by ${title}` : `mean by ${title}`;
    const name = side ? `${mean}, ${side} the axis` : mean;
    const all = placed(side ? atEdge(whole, side === 'below' ? range[0] : range[1]) : whole, range, x, y);
    const at = quietPlace(box, WIDE * name.length, stretches(chart, all));
    return { name, pieces: all, strokes: strokes(all), at };
  };
}
