// The table of errors: a row for each group and GPU, a strip of dots for each figure.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { DASH } from '../../base/units.ts';
import {
  E2E,
  figureName,
  type Group,
  type Level,
  type PublishedFigure,
  type Regime,
  shareText,
} from './measuredData.ts';

/** The right edge of a strip. */
const MOST = 0.3;
const WIDTH = 84;

type Row = { readonly group: string; readonly gpu: string; readonly experiments: number };
type Dot = { readonly at: number; readonly fitted: boolean };

export function ErrorTable(props: {
  figures: readonly PublishedFigure[];
  level: Level | undefined;
  regime: Regime;
}): JSX.Element {
  const of = createMemo(() => props.level?.groups.filter((g) => g.regime === props.regime) ?? []);
  const rows = createMemo(() => {
    const found = new Map<string, Row>();
    for (const g of of()) {
      const key = `${g.group} ${g.gpu}`;
      // As many as the headline counts, where it counts the group.
      const own = of().find((other) => other.group === g.group && other.gpu === g.gpu && other.figure === E2E);
      const experiments = own?.experiments ?? Math.max(g.experiments, found.get(key)?.experiments ?? 0);
      found.set(key, { group: g.group, gpu: g.gpu, experiments });
    }
    return [...found.values()];
  });
  const target = (figure: string): number | undefined => props.level?.targets[figure];
  const percent = (share: number | undefined): number => Math.round((share ?? 0) * 100);
  const cell = (row: Row, figure: string): Group | undefined =>
    of().find((g) => g.group === row.group && g.gpu === row.gpu && g.figure === figure);
  /** The absolute errors of the stages in a cell. */
  const dots = (row: Row, figure: string): readonly Dot[] =>
    Object.entries(props.level?.dots ?? {}).flatMap(([key, errors]) => {
      const [group, gpu, regime, of] = key.split('|');
      const wanted = regime === props.regime && of === figure;
      if (!wanted || (row.group !== 'all' && (row.group !== group || row.gpu !== gpu))) return [];
      return errors.map(([at, fitted]) => ({ at, fitted: fitted === 1 }));
    });
  return (
    <section class="truth-table-host" aria-label="Errors by group and GPU" tabindex="0">
      <table class="truth-table">
        <thead>
          <tr>
            <th scope="col">Group, GPU</th>
            <th
              scope="col"
              class="n"
              title="Experiments with E2E mean, as in the headline, or else with any of these figures; each cell has its own number"
            >
              n
            </th>
            <For each={props.figures}>
              {(f) => (
                <th scope="col">
                  {figureName(f.figure)}{' '}
                  <i>% off{target(f.figure) === undefined ? '' : `, target ${percent(target(f.figure))}`}</i>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For
            each={rows()}
            fallback={
              <tr>
                <td colspan="6">Nothing was measured here.</td>
              </tr>
            }
          >
            {(row) => (
              <tr classList={{ all: row.group === 'all' }}>
                <th scope="row">
                  <Show when={row.group !== 'all'} fallback="All of these">
                    <b>{row.group}</b> {row.gpu}
                  </Show>
                </th>
                <td class="n">{row.experiments}</td>
                <For each={props.figures}>
                  {(f) => (
                    <Cell figure={f} target={target(f.figure)} found={cell(row, f.figure)} dots={dots(row, f.figure)} />
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <p class="truth-legend">
        <svg width="8" height="12" aria-hidden="true">
          <path class="median" d="M4 0v12" />
        </svg>{' '}
        median, predicted
        <svg width="8" height="12" aria-hidden="true">
          <path class="target" d="M4 0v12" />
        </svg>{' '}
        target
        <svg width="8" height="12" aria-hidden="true">
          <path class="published" d="M4 0v12" />
        </svg>{' '}
        best published
        <svg width="8" height="8" aria-hidden="true">
          <circle class="dot" cx="4" cy="4" r="2" />
        </svg>{' '}
        predicted
        <svg width="8" height="8" aria-hidden="true">
          <circle class="dot hollow" cx="4" cy="4" r="2" />
        </svg>{' '}
        fitted on
        <span class="wa">◆ target missed</span>
        <span>edge: 30 % and more</span>
      </p>
    </section>
  );
}

function Cell(props: {
  figure: PublishedFigure;
  target: number | undefined;
  found: Group | undefined;
  dots: readonly Dot[];
}): JSX.Element {
  const x = (share: number): number => 3 + (WIDTH - 6) * Math.min(1, share / MOST);
  return (
    <td>
      <Show when={props.found} fallback={<span class="none">{DASH}</span>}>
        {(found) => {
          const missed = (): boolean => props.target !== undefined && found().median > props.target;
          return (
            <span
              class="strip"
              title={`${found().experiments} experiments; median ${shareText(found().median)}, worst ${shareText(found().worst)}: ${found().worst_id}`}
            >
              <svg width={WIDTH} height="16" viewBox={`0 0 ${WIDTH} 16`} aria-hidden="true">
                <path class="axis" d={`M3 15.5H${WIDTH - 3}`} />
                <path class="published" d={`M${x(props.figure.published).toFixed(1)} 1v14`} />
                <Show when={props.target !== undefined}>
                  <path class="target" d={`M${x(props.target ?? 0).toFixed(1)} 1v14`} />
                </Show>
                <For each={props.dots.slice(0, 400)}>
                  {(dot, i) => (
                    <circle
                      class="dot"
                      classList={{ hollow: dot.fitted }}
                      cx={x(dot.at).toFixed(1)}
                      cy={4 + ((i() * 5) % 9)}
                      r="1.8"
                    />
                  )}
                </For>
                <path class="median" d={`M${x(found().median).toFixed(1)} 1v14`} />
              </svg>
              <b classList={{ wa: missed() }}>
                {missed() ? '◆ ' : ''}
                {shareText(found().median)}
              </b>
            </span>
          );
        }}
      </Show>
    </td>
  );
}
