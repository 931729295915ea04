// The user's own benchmark, dropped, opened or pasted: measured beside simulated, with a button that calibrates to it.
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { readDocument, writeDocument } from '../../base/text.ts';
import type { Benchmark, Comparison, OneRun, ToldLoad } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { LostError, RefusedError } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { calibratedDocument } from '../../state/edits/calibration.ts';
import { benchmarkText } from '../../state/files/benchmarkText.ts';
import type { Box } from '../../state/files/files.ts';
import { explain } from '../../state/notices/notices.ts';
import { applyAsRun } from '../../state/run/listedRuns.ts';
import { dropInto } from '../parts/dropInto.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { coefficientSaid } from './coefficients.ts';
import { LoadAsked } from './LoadAsked.tsx';
import { errorText } from './measuredData.ts';
import { SeriesComparison } from './SeriesComparison.tsx';
import { MeasuredCurve, type MeasuredRow, MeasuredTable } from './SideBySide.tsx';

const CURVES: Readonly<Record<string, string>> = { ttft_ms: 'TTFT', tpot_ms: 'TPOT', e2e_ms: 'E2E' };

const NO_LOAD: ToldLoad = { own_traffic: false };

export function YourBenchmark(props: { app: Pick<App, 'document' | 'studies'> }): JSX.Element {
  const app = props.app;
  const benchmarks = new Asking('measured');
  onCleanup(() => benchmarks.end());
  const [runs, setRuns] = createSignal<readonly Benchmark[]>([]);
  const [run, setRun] = createSignal(0);
  const [load, setLoad] = createSignal(NO_LOAD);
  const [comparison, setComparison] = createSignal<Comparison>();
  const [found, setFound] = createSignal<OneRun>();
  const [problems, setProblems] = createSignal<readonly string[]>([]);
  const [busy, setBusy] = createSignal('');

  /** Asks a question; a refusal becomes a message. */
  async function attempt(doing: string, work: () => Promise<void>): Promise<void> {
    setBusy(doing);
    setProblems([]);
    try {
      await work();
    } catch (error) {
      if (error instanceof LostError) return;
      if (error instanceof RefusedError) setProblems(error.diagnostics.map(explain));
      else setProblems([error instanceof Error ? error.message : String(error)]);
    } finally {
      setBusy('');
    }
  }

  const scenario = (): string => writeDocument(app.document.inForce());

  async function compare(text: string): Promise<void> {
    const asked = { run: run(), scenario: scenario(), load: load() };
    setComparison(await benchmarks.ask('compare', { text: await benchmarkText(text), ...asked }));
  }

  function read(): void {
    const file = app.studies.benchmarkFile();
    setRuns([]);
    setComparison(undefined);
    setFound(undefined);
    setRun(0);
    setLoad(NO_LOAD);
    if (!file) return;
    void attempt('Reading and running it…', async () => {
      setRuns(await benchmarks.ask('read', await benchmarkText(file.text)));
      await compare(file.text);
    });
  }
  createEffect(on(app.studies.benchmarkFile, read));

  const take: Box = (text, name) => app.studies.setBenchmarkFile({ name, text });
  const again = (): void => {
    setFound(undefined);
    const file = app.studies.benchmarkFile();
    if (file) void attempt('Running it…', () => compare(file.text));
  };
  const choose = (index: number): void => {
    setRun(index);
    setLoad(NO_LOAD);
    again();
  };
  const give = (told: ToldLoad): void => {
    setLoad(told);
    again();
  };
  const calibrate = (): void => {
    const file = app.studies.benchmarkFile();
    if (!file) return;
    void attempt('Calibrating…', async () => {
      const measured = { text: await benchmarkText(file.text), run: run(), scenario: scenario(), load: load() };
      const one = await benchmarks.ask('calibrate', { measured, file: file.name });
      setFound(one);
      // A change half-way would mix two machines, so the coefficients apply from 0, in a run of their own.
      await applyAsRun(app.document, calibratedDocument(app.document.current(), readDocument(one.scenario)));
      await compare(file.text);
    });
  };

  return (
    <>
      <div class="truth-block">
        <Show
          when={app.studies.benchmarkFile()}
          fallback={
            <p class="s">
              Drop a result of vllm bench serve, sglang.bench_serving, GuideLLM, inference-perf, AIPerf, LLMPerf or
              llm-d-benchmark, the log of a vLLM server, its /metrics or a range query of them anywhere. Its traffic
              runs on the cluster of the scenario on screen. Nothing leaves this computer.
            </p>
          }
        >
          {(file) => (
            <WhatWasRead name={file().name} comparison={comparison()} runs={runs()} run={run()} onRun={choose} />
          )}
        </Show>
        <div class="truth-buttons">
          <FileButton
            class="btn box"
            takes="Benchmark result"
            onFile={(file) => void app.document.openFile(file, take)}
          >
            Open a result…
          </FileButton>
        </div>
        <Show when={!app.studies.benchmarkFile()}>
          <PasteBox app={app} take={take} />
        </Show>
        <p role="status" class="s">
          {busy()}
        </p>
        <Show when={problems().length > 0}>
          <ul class="problems" role="alert">
            <For each={problems()}>{(words) => <li>{words}</li>}</For>
          </ul>
        </Show>
      </div>
      <Show when={comparison()}>
        {(c) => (
          <>
            <Compared comparison={c()} busy={busy() !== ''} onLoad={give} />
            <div class="truth-block truth-calibrate">
              <button
                type="button"
                class="btn pri"
                disabled={busy() !== '' || c().rows.length === 0}
                onClick={calibrate}
              >
                Calibrate to this run
              </button>
              <Show
                when={found()}
                fallback={<p class="s">Fits the few coefficients that one run determines; the others stay.</p>}
              >
                {(one) => <Calibrated one={one()} />}
              </Show>
            </div>
          </>
        )}
      </Show>
    </>
  );
}

/** A box for a result that is pasted or dropped. */
function PasteBox(props: { app: Pick<App, 'document' | 'studies'>; take: Box }): JSX.Element {
  const [pasted, setPasted] = createSignal('');
  return (
    <>
      <textarea
        aria-label="Paste a page of /metrics, a log or a result"
        placeholder="or paste /metrics here"
        rows="4"
        spellcheck={false}
        value={pasted()}
        onInput={(event) => setPasted(event.currentTarget.value)}
        onDrop={dropInto(props.app, props.take)}
      />
      <button
        type="button"
        class="btn box"
        disabled={pasted().trim() === ''}
        onClick={() => props.app.studies.setBenchmarkFile({ name: 'pasted', text: pasted() })}
      >
        Compare
      </button>
    </>
  );
}

/** The contents of a file: the tool that wrote it, and the run to compare. */
function WhatWasRead(props: {
  name: string;
  comparison: Comparison | undefined;
  runs: readonly Benchmark[];
  run: number;
  onRun: (index: number) => void;
}): JSX.Element {
  return (
    <>
      <h3 class="truth-name">{props.name}</h3>
      <Show when={props.comparison}>
        {(c) => (
          <p class="s">
            {[c().tool, c().model, c().date].filter((part) => part !== '').join(', ')}. Run: {c().says}; seeds{' '}
            {c().seeds}
            {c().failed > 0 ? `; ${c().failed} requests failed` : ''}.
          </p>
        )}
      </Show>
      <Show when={props.runs.length > 1}>
        <label class="truth-stage">
          Run
          <select value={String(props.run)} onChange={(event) => props.onRun(Number(event.currentTarget.value))}>
            <For each={props.runs}>{(b, i) => <option value={String(i())}>{b.name || `${i() + 1}`}</option>}</For>
          </select>
        </label>
      </Show>
    </>
  );
}

/** Measured beside simulated: the figures, and the distributions. */
function Compared(props: { comparison: Comparison; busy: boolean; onLoad: (load: ToldLoad) => void }): JSX.Element {
  const rows = (): readonly MeasuredRow[] =>
    props.comparison.rows.map((r) => ({
      figure: `${r.metric} ${r.stat}`,
      low: r.low,
      high: r.high,
      simulated: r.simulated,
      error: r.error,
      inside: r.inside,
    }));
  return (
    <>
      <div class="truth-block">
        <For each={props.comparison.warnings}>{(warning) => <p class="wa">{warning}</p>}</For>
        <Show when={props.comparison.assumed}>
          <LoadAsked missing={props.comparison.missing} busy={props.busy} onLoad={props.onLoad} />
        </Show>
        <Show when={rows().length > 0}>
          <MeasuredTable rows={rows()} assumed={props.comparison.assumed} />
        </Show>
        <For each={props.comparison.notes}>{(note) => <p class="s">{note}</p>}</For>
      </div>
      <div class="truth-block">
        <SeriesComparison series={props.comparison.series} />
        <For each={props.comparison.curves}>
          {(curve) => (
            <MeasuredCurve
              title={CURVES[curve.metric] ?? curve.metric}
              simulated={curve.simulated}
              measured={curve.measured}
              largestGap={curve.largest_gap}
            />
          )}
        </For>
      </div>
    </>
  );
}

/** The fitted coefficients, before and after. */
function Calibrated(props: { one: OneRun }): JSX.Element {
  return (
    <>
      <p class="s">
        Fitted {props.one.changes.length} of {props.one.of} coefficients to {props.one.requests} requests
        {props.one.failed > 0 ? `; ${props.one.failed} failed` : ''}. TPOT {mainError(props.one.before)} →{' '}
        <b>{mainError(props.one.after)}</b>. They apply from 0, in a separate run in the list of runs.
      </p>
      <For each={props.one.warnings}>{(warning) => <p class="wa">{warning}</p>}</For>
      <ul class="rests">
        <For each={props.one.changes}>
          {(change) => (
            <li>
              <span>
                {coefficientSaid(change.coefficient).name} {Number(change.before.toPrecision(3))} →{' '}
                <b>{Number(change.after.toPrecision(3))}</b>
                {coefficientSaid(change.coefficient).unit}
                {change.half === undefined ? ', interval unknown' : ` ± ${Number(change.half.toPrecision(2))} (95 %)`}{' '}
                (from {change.told_by})
              </span>
            </li>
          )}
        </For>
        <For each={props.one.notes}>{(note) => <li class="wa">{note}</li>}</For>
      </ul>
    </>
  );
}

/** The error of mean TPOT, or of its substitute. */
const mainError = (of: OneRun['before'] | undefined): string =>
  errorText(of?.find((r) => r.metric === 'tpot_ms' && r.stat === 'mean')?.error);
