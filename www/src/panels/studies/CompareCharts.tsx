// The charts of two runs on the same requests: over time at the left, the difference of each request first; the
// distributions and the pairs at the right.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { durationMs, type Quantity } from '../../base/units.ts';
import type { RequestCloud, RunComparison, TheoryOfRun } from '../../generated/boundary.ts';
import type { Charts } from '../../state/studies/compare.ts';
import { type TheoryRun, theoryOfRun } from '../../state/studies/theory.ts';
import { Differences, Pairs } from './CompareDifference.tsx';
import { Ecdf } from './CompareEcdf.tsx';
import { type TimeLine, TimeOfBoth } from './CompareTime.tsx';
import type { Scene } from './compareScene.ts';
import { pairedWords } from './pairedDifference.ts';
import { LawChoice, ViolatedOf } from './TheoryKey.tsx';
import { createTheorySwitch } from './theorySwitch.ts';

const percents = (value: number): Quantity => ({ value: value.toFixed(0), unit: '%' });
const requests = (value: number): Quantity => ({ value: value.toFixed(0), unit: '' });
const TTFT: TimeLine = {
  view: 'ttft-over-time',
  columns: ['p99_ms', 'p50_ms'],
  title: 'TTFT p99',
  unit: 'and p50 thin, s, log',
  log: true,
  height: 152,
  says: durationMs,
  limit: (scene) => scene.ttftMs,
};
const BELOW: readonly TimeLine[] = [
  {
    view: 'fleet-load',
    columns: ['kv_percent'],
    title: 'KV blocks in use',
    unit: '% at the fullest replica',
    log: false,
    height: 104,
    says: percents,
  },
  {
    view: 'fleet-load',
    columns: ['waiting'],
    title: 'Waiting',
    unit: 'requests waiting, gateway included',
    log: false,
    height: 104,
    says: requests,
  },
  {
    view: 'health',
    columns: ['missed_percent'],
    title: 'Objectives missed',
    unit: '% of ended',
    log: false,
    height: 104,
    says: percents,
  },
  {
    view: 'e2e-over-time',
    columns: ['p99_ms', 'p50_ms'],
    title: 'E2E p99',
    unit: 'and p50 thin, s, log',
    log: true,
    height: 132,
    says: durationMs,
    limit: (scene) => scene.e2eMs,
  },
];

export function CompareCharts(props: {
  comparison: RunComparison | undefined;
  cloud: RequestCloud | undefined;
  charts: Charts | undefined;
  scene: Scene;
  /** The request that is open in both runs, by its number in A. */
  selected: number | undefined;
  onPair: (a: number, b: number) => void;
  /** Both runs at their present instants. */
  runs: () => Promise<readonly [TheoryRun, TheoryRun] | undefined>;
}): JSX.Element {
  const [theory, setTheory] = createSignal<readonly TheoryOfRun[]>([]);
  const paired = () => props.comparison?.detail.ttft_ms.paired;
  return (
    <div class="compare-charts compare-two">
      <div class="compare-over-time">
        <TimeOfBoth line={TTFT} charts={props.charts} scene={props.scene} theory={theory()} />
        <Differences
          cloud={props.cloud}
          paired={paired()}
          scene={props.scene}
          selected={props.selected}
          onPair={props.onPair}
        />
        <Show when={paired()}>
          {(p) => <p class="say compare-paired">Each request against itself: {pairedWords(p())}</p>}
        </Show>
        <For each={BELOW}>
          {(line) => <TimeOfBoth line={line} charts={props.charts} scene={props.scene} theory={theory()} />}
        </For>
      </div>
      <div class="compare-ecdfs">
        <Ecdf
          title="TTFT"
          part={props.comparison?.detail.ttft_ms.ecdf}
          metric={props.comparison?.metrics.ttft_ms}
          limitMs={props.scene.ttftMs}
        />
        <Ecdf
          title="E2E"
          part={props.comparison?.detail.e2e_ms.ecdf}
          metric={props.comparison?.metrics.e2e_ms}
          limitMs={props.scene.e2eMs}
        />
        <Show when={props.cloud}>
          <Pairs cloud={props.cloud} />
        </Show>
        <TheoryRow comparison={props.comparison} runs={props.runs} theory={theory()} onTheory={setTheory} />
      </div>
    </div>
  );
}

/** A law for each run: the switch, the choice, and the violated assumptions of each run. */
function TheoryRow(props: {
  comparison: RunComparison | undefined;
  runs: () => Promise<readonly [TheoryRun, TheoryRun] | undefined>;
  theory: readonly TheoryOfRun[];
  onTheory: (found: readonly TheoryOfRun[]) => void;
}): JSX.Element {
  const { shown, toggle, law, setLaw, failed } = createTheorySwitch(
    () => props.comparison,
    async (law) => {
      const runs = await props.runs();
      return runs && Promise.all(runs.map((run) => theoryOfRun(run, law)));
    },
    (found) => props.onTheory(found ?? []),
  );
  return (
    <div class="theory-row">
      <button type="button" class="btn box" aria-pressed={shown()} onClick={toggle}>
        Theory
      </button>
      <Show when={shown()}>
        <LawChoice theory={props.theory[0]?.theory} law={law()} onLaw={setLaw} label="Law of queueing theory" />
        <Show when={failed()}>no law could be computed</Show>
        <For each={props.theory}>
          {(of, i) => (
            <>
              <span>
                {i() === 0 ? 'A' : 'B'}: {of.theory.laws.find((l) => l.law === of.theory.chosen)?.title}, a mean beside
                the p99 of the runs
              </span>
              <ViolatedOf theory={of.theory} />
            </>
          )}
        </For>
      </Show>
    </div>
  );
}
