// One measured experiment: its stages, measured and simulated, and its scenario.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { type Experiment, type Stage, stageOf } from './measuredData.ts';
import { MeasuredTable } from './SideBySide.tsx';

export function ExperimentPanel(props: {
  experiment: Experiment | undefined;
  onOpen: (e: Experiment, stage: Stage) => void;
}): JSX.Element {
  const [picked, setPicked] = createSignal<string>();
  const stage = createMemo(() => {
    const e = props.experiment;
    return e?.stages.find((s) => s.stage === picked()) ?? (e ? stageOf(e) : undefined);
  });
  /** The stage to run: the shown one, or the first with known traffic. */
  const runnable = createMemo(() => {
    const own = stage();
    return own?.client === undefined ? props.experiment?.stages.find((s) => s.client !== undefined) : own;
  });
  const rows = createMemo(() =>
    Object.entries(stage()?.figures ?? {}).map(([figure, [measured, simulated, error]]) => ({
      figure,
      low: measured,
      high: measured,
      simulated,
      error: error ?? undefined,
    })),
  );
  return (
    <Show
      when={props.experiment}
      fallback={<p class="truth-block s">Choose an experiment on the left, or a point below the table.</p>}
    >
      {(e) => (
        <>
          <div class="truth-block">
            <h3 class="truth-name">{e().id}</h3>
            <p class="s">
              {e().model} on {e().gpu}
              {e().tp ? `, TP ${e().tp}` : ''}
              {e().engine ? `, vLLM ${e().engine}` : ''}. Measured by {e().source}.
            </p>
            <Show when={e().stages.length > 1}>
              <label class="truth-stage">
                Stage
                <select value={stage()?.stage ?? ''} onChange={(event) => setPicked(event.currentTarget.value)}>
                  <For each={e().stages}>
                    {(s) => (
                      <option value={s.stage}>
                        {s.stage}
                        {s.regime ? ` · ${s.regime}` : ''}
                        {s.fitted ? ' · fitted on' : ''}
                      </option>
                    )}
                  </For>
                </select>
              </label>
            </Show>
          </div>
          <div class="truth-block">
            <Show
              when={rows().length > 0}
              fallback={
                <p class="s">{e().why_not ? `Not modelled: ${e().why_not}.` : 'This stage was not replayed.'}</p>
              }
            >
              <MeasuredTable rows={rows()} />
            </Show>
          </div>
          <Show when={e().cluster !== undefined && runnable()} keyed>
            {(of) => (
              <div class="truth-block">
                <button type="button" class="btn pri" onClick={() => props.onOpen(e(), of)}>
                  Open as a scenario
                </button>
                <p class="s">
                  Runs {of.stage === '' ? 'it' : `stage ${of.stage}`} on the page, with the measured percentiles on its
                  distributions. Arrivals and lengths are drawn from distributions like the measured ones.
                </p>
              </div>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
