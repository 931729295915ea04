// The right side of the dialog of exports: what travels to a system, and what comes back from the file.
import { For, type JSX, Show } from 'solid-js';
import type { Exported, ExportedRow } from '../../sim/exchangeTypes.ts';
import type { Written } from './exporting.ts';
import { MappingMark } from './marks.tsx';

export function ExportedKeys(props: { file: Exported }): JSX.Element {
  return (
    <section class="export-blk">
      <header>
        <h3>What travels to {props.file.title}</h3>
        <span class="m">
          {props.file.exact} exact · {props.file.near} near · {props.file.left_out} left out
        </span>
      </header>
      <Show
        when={props.file.rows.length > 0}
        fallback={<p class="s">Nothing in this scenario has a counterpart there; the file says so.</p>}
      >
        <ul class="travel">
          <For each={props.file.rows}>
            {(row) => (
              <li title={row.why || row.path}>
                <MappingMark standing={row.standing} />
                <span class="s">{row.ours}</span>
                <span class="travel-theirs">
                  <Theirs row={row} />
                </span>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <Show when={props.file.not_beside}>{(why) => <p class="m">{why()}</p>}</Show>
    </section>
  );
}

function Theirs(props: { row: ExportedRow }): JSX.Element {
  const { row } = props;
  return (
    <Show when={row.standing !== 'ignored'} fallback={<span class="wa">no counterpart, in a comment</span>}>
      <Show when={row.before !== null && row.before !== row.value}>
        <s>{row.before}</s>{' '}
      </Show>
      <b classList={{ ac: row.before !== null && row.before !== row.value }}>{row.value}</b>{' '}
      {[row.theirs, row.written ? '' : 'its default, not written'].filter((part) => part !== '').join(', ')}
    </Show>
  );
}

/** Whether the file gives the same scenario on its exact rows. */
export function ReadBack(props: { written: Written }): JSX.Element {
  const file = () => props.written.file;
  const all = (): boolean => props.written.same === file().exact;
  return (
    <section class="export-blk">
      <header>
        <h3>Read back</h3>
        <Show when={file().exact > 0 && props.written.same !== undefined}>
          <span class={all() ? 'ok' : 'mi'}>
            same on {props.written.same} of {file().exact} exact rows{all() ? ' ✓' : ''}
          </span>
        </Show>
      </header>
      <p class="s">
        {file().exact > 0
          ? 'Imported again, this file gives the same scenario on every exact row. What it cannot say is in its comments.'
          : 'There is no exact row to read back.'}
      </p>
      <code class="export-command">tokenyard export scenario.json --as {file().system}</code>
    </section>
  );
}
