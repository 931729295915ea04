// The workload of a trace: its figures as written, in the window and as it runs, and the names of its rows.
import { For, type JSX, Show } from 'solid-js';
import { count } from '../../base/units.ts';
import type { TraceInspection } from '../../sim/traceTypes.ts';
import type { ChangedFigures } from './traceFigures.ts';
import { FIGURES, writtenFigures } from './traceWords.ts';

export function Workload(props: { trace: TraceInspection; changed: ChangedFigures }): JSX.Element {
  const written = () => writtenFigures(props.trace);
  const names = () =>
    (
      [
        ['Tenants', props.trace.tenants],
        ['Classes', props.trace.classes],
        ['Models', props.trace.models],
        ['Adapters', props.trace.adapters],
      ] as const
    ).filter(([, all]) => all.length > 0);
  return (
    <section class="export-blk">
      <header>
        <h3>The workload</h3>
        <span class="m">{props.changed.runs ? 'after each step' : 'as written'}</span>
      </header>
      <table class="trace-workload">
        <thead>
          <tr>
            <td />
            <th scope="col">trace</th>
            <Show when={props.changed.window}>
              <th scope="col">window</th>
            </Show>
            <Show when={props.changed.runs}>
              <th scope="col">runs</th>
            </Show>
          </tr>
        </thead>
        <tbody>
          <For each={FIGURES}>
            {([name, text]) => (
              <tr>
                <th scope="row">{name}</th>
                <td>{text(written())}</td>
                <Show when={props.changed.window}>{(window) => <td>{text(window())}</td>}</Show>
                <Show when={props.changed.runs}>{(runs) => <td>{text(runs())}</td>}</Show>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <dl class="trace-figures">
        <For each={names()}>
          {([name, all]) => (
            <div>
              <dt>{name}</dt>
              <dd>
                {all
                  .slice(0, 3)
                  .map((one) => `${one.name || 'none'} ${count(one.requests)}`)
                  .join(', ')}
                {all.length > 3 ? ', …' : ''}
              </dd>
            </div>
          )}
        </For>
      </dl>
    </section>
  );
}
