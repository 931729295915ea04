// Objectives met and replica-seconds of autoscalers beside the bound: a dot for each, a hollow diamond for the oracle.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, plain } from '../../base/units.ts';
import { linearTop } from '../../charts/scales.ts';
import type { RunRegret } from '../../generated/boundary.ts';
import { placeLabels } from './placeLabels.ts';
import { Axes, along, StudyFigure, upward } from './StudyFigure.tsx';

export type Raced = { readonly name: string; readonly of: RunRegret };

/** Mean width of a character of a label. */
const LETTER = 6.4;

export function RaceBoundFigure(props: { bound: RunRegret; points: readonly Raced[] }): JSX.Element {
  const all = createMemo(() => {
    const placed = [...props.points, { name: 'oracle', of: props.bound }].map(({ name, of }, i, { length }) => ({
      name,
      isBound: i === length - 1,
      spent: of.replica_seconds_regret.own ?? Number.NaN,
      met: of.attainment_regret.own ?? Number.NaN,
    }));
    return placed.filter((p) => Number.isFinite(p.spent) && Number.isFinite(p.met));
  });
  const most = createMemo(() => linearTop(Math.max(1, ...all().map((p) => p.spent)), false));
  const y = (percent: number): number => upward(percent / 100);
  const says = (p: { name: string; spent: number; met: number }): string =>
    `${p.name}: ${p.met.toFixed(1)} % met, ${count(p.spent)} replica-seconds`;
  return (
    <StudyFigure
      title={
        <>
          <b>Policies and the bound</b>{' '}
          <span class="s">objectives met, %, over replica-seconds; means over the seeds</span>
        </>
      }
      label={`Objectives met over replica-seconds. ${all().map(says).join('. ')}`}
    >
      {(width) => {
        const x = (spent: number): number => along(spent / most(), width);
        const labels = createMemo(() =>
          placeLabels(
            all().map((p) => ({ x: x(p.spent), y: y(p.met), width: p.name.length * LETTER })),
            { left: x(0), right: width, top: 4, bottom: y(0) },
          ),
        );
        return (
          <>
            <Axes
              width={width}
              rows={[0, 50, 100].map((v) => [v, plain(v)])}
              y={y}
              columns={[0, most() / 2, most()].map((v) => [v, count(v)])}
              x={x}
              unit="replica-s"
            />
            <For each={all()}>
              {(p, i) => (
                <>
                  {p.isBound ? (
                    <path class="race-bound-mark" d={`M${x(p.spent)} ${y(p.met) - 5}l5 5l-5 5l-5 -5z`}>
                      <title>{says(p)}</title>
                    </path>
                  ) : (
                    <circle class="sweep-best" cx={x(p.spent)} cy={y(p.met)} r="3.5">
                      <title>{says(p)}</title>
                    </circle>
                  )}
                  <Show when={labels()[i()]?.lead}>
                    {(to) => <path class="race-lead" d={`M${x(p.spent)} ${y(p.met)}L${to()[0]} ${to()[1]}`} />}
                  </Show>
                  <text class="race-name" x={labels()[i()]?.x ?? 0} y={labels()[i()]?.y ?? 0}>
                    {p.name}
                  </text>
                </>
              )}
            </For>
          </>
        );
      }}
    </StudyFigure>
  );
}
