// Signed errors by model, below the knee: whether a model is always too slow or too fast.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { DASH } from '../../base/units.ts';
import { errorText, figureName, type ModelResidual, shareText } from './measuredData.ts';

const WIDTH = 220;
/** The edges of a strip, and the band drawn in it. */
const MOST = 0.2;
const BAND = 0.05;

export function ErrorsByModel(props: { models: Readonly<Record<string, readonly ModelResidual[]>> }): JSX.Element {
  const figures = Object.keys(props.models);
  const [figure, setFigure] = createSignal('e2e_ms mean');
  const rows = createMemo(() =>
    (props.models[figure()] ?? []).toSorted((a, b) => shortModel(a.model).localeCompare(shortModel(b.model), 'en')),
  );
  const x = (error: number): number => WIDTH / 2 + (Math.max(-MOST, Math.min(MOST, error)) / MOST) * (WIDTH / 2 - 6);
  return (
    <section class="truth-models" aria-label="Errors by model">
      <div class="truth-models-head">
        <b>Error by model</b>
        <select
          class="in"
          aria-label="Figure of the errors by model"
          value={figure()}
          onChange={(event) => setFigure(event.currentTarget.value)}
        >
          <For each={figures}>{(name) => <option value={name}>{figureName(name)}</option>}</For>
        </select>
      </div>
      <table class="truth-table">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">
              Signed <i>−20 to +20 %, band ±5 %</i>
            </th>
            <th scope="col" class="n">
              Median
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={rows()}>
            {(row) => (
              <tr>
                <th scope="row" title={row.model}>
                  {shortModel(row.model)}
                </th>
                <td>
                  <svg width={WIDTH} height="18" viewBox={`0 0 ${WIDTH} 18`} aria-hidden="true">
                    <path class="band" d={`M${x(-BAND)} 0H${x(BAND)}V18H${x(-BAND)}Z`} />
                    <path class="axis" d={`M${x(0)} 0v18`} />
                    <For each={row.dots.slice(0, 400)}>
                      {([error, gpu, fitted], i) => (
                        <circle
                          class="dot"
                          classList={{ hollow: fitted === 1 }}
                          cx={x(error).toFixed(1)}
                          cy={4 + ((i() * 5) % 11)}
                          r="2"
                        >
                          <title>{`${gpu}: ${errorText(error)}`}</title>
                        </circle>
                      )}
                    </For>
                    <Show when={row.median !== null}>
                      <path class="median" d={`M${x(row.median ?? 0).toFixed(1)} 1v16`} />
                    </Show>
                  </svg>
                </td>
                <td class="n">
                  <b classList={{ wa: Math.abs(row.median ?? 0) > BAND }}>
                    {row.median === null ? `${DASH} fitted` : errorText(row.median)}
                  </b>
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <p class="truth-legend">
        below the knee; edges: {shareText(MOST)} and more; hollow: fitted on; bar: median of predictions
      </p>
    </section>
  );
}

/** The name of a model without its publisher. */
function shortModel(model: string): string {
  return model.split('/').at(-1) ?? model;
}
