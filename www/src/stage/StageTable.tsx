// The replicas as a table with the content and actions of the stage. Loaded when it is opened.
import { createMemo, For, onMount, Show } from 'solid-js';
import type { StageProps } from '../base/view.ts';
import { Listed, restOfTable } from '../draw/GrowingList.tsx';
import { BandTable } from './BandTable.tsx';
import { describeReplica, describeStage, type RequestEntry, requestsOf } from './facts.ts';
import { RANK_COLUMNS, REPLICA_COLUMNS, rankCells, replicaCells, SPLIT_COLUMNS, splitCells } from './replicaCells.ts';
import { TransferTable } from './TransferTable.tsx';

/** Each row selects its replica and each queued or running request can be picked. */
export default function StageTable(props: StageProps & { readonly onClose: () => void }) {
  let close: HTMLButtonElement | undefined;
  onMount(() => close?.focus());
  return (
    <section
      class="stage-table"
      aria-label="Replicas"
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onClose();
      }}
    >
      <button type="button" class="stage-table-close" ref={close} onClick={() => props.onClose()}>
        Show as picture
      </button>
      <Show when={props.frame?.gateway}>
        {(gateway) => <BandTable gateway={gateway()} selected={props.selected} onSelect={props.onSelect} />}
      </Show>
      <Show when={props.frame?.split}>
        {(split) => <TransferTable split={split()} selected={props.selected} onSelect={props.onSelect} />}
      </Show>
      <table>
        <caption>{describeStage(props.frame)}</caption>
        <thead>
          <tr>
            <th scope="col">Replica</th>
            <th scope="col">Requests</th>
            <For each={REPLICA_COLUMNS}>{(name) => <th scope="col">{name}</th>}</For>
            <For each={props.frame?.split ? SPLIT_COLUMNS : []}>{(name) => <th scope="col">{name}</th>}</For>
            <For each={props.frame?.servers ? RANK_COLUMNS : []}>{(name) => <th scope="col">{name}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <Listed each={props.frame?.replicas.map((r) => r.id)} rest={restOfTable}>
            {(id) => {
              const replica = createMemo(() => props.frame?.replicas.find((r) => r.id === id));
              return (
                <Show when={replica()}>
                  {(r) => (
                    <tr data-picked={props.selected.replica === id}>
                      <th scope="row">
                        <button
                          type="button"
                          aria-pressed={props.selected.replica === id}
                          aria-label={describeReplica(r())}
                          onClick={() => props.onSelect({ request: undefined, replica: id })}
                        >
                          r{id}
                        </button>
                      </th>
                      <td>
                        <RequestPicker {...props} replica={id} requests={requestsOf(r())} />
                      </td>
                      <For each={props.frame ? replicaCells(r(), props.frame.key) : []}>
                        {(cell) => <td>{cell}</td>}
                      </For>
                      <For each={props.frame?.split ? splitCells(r()) : []}>{(cell) => <td>{cell}</td>}</For>
                      <For each={props.frame?.servers ? rankCells(props.frame, id) : []}>
                        {(cell) => <td>{cell}</td>}
                      </For>
                    </tr>
                  )}
                </Show>
              );
            }}
          </Listed>
        </tbody>
      </table>
    </section>
  );
}

/** A list to pick one of a replica's requests; cheap even with hundreds of them. */
function RequestPicker(props: StageProps & { readonly replica: number; readonly requests: readonly RequestEntry[] }) {
  return (
    <select
      aria-label={`Pick a request of r${props.replica}`}
      onChange={(event) => {
        const request = Number(event.currentTarget.value);
        if (event.currentTarget.value !== '') props.onSelect({ request, replica: props.replica });
      }}
    >
      <option value="">pick…</option>
      <For each={props.requests}>
        {(e) => (
          <option value={e.request} selected={e.request === props.selected.request}>
            #{e.request} {e.where}
          </option>
        )}
      </For>
    </select>
  );
}
