// The head of a table: the names of its columns.
import { For, type JSX } from 'solid-js';

export function TableHead(props: { names: readonly JSX.Element[] }): JSX.Element {
  return (
    <thead>
      <tr>
        <For each={props.names}>{(name) => <th scope="col">{name}</th>}</For>
      </tr>
    </thead>
  );
}
