// KV: loaded when it is opened.
import type { JSX } from 'solid-js';
import type { App } from '../../state/app.ts';
import { ToolRow } from '../parts/ToolRow.tsx';

export default function Kv(_props: { app: App }): JSX.Element {
  return (
    <section class="closeup" aria-label="KV">
      <ToolRow />
    </section>
  );
}
