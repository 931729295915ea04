// The stages of two runs beside each other, on a phone one below the other: both at the same instant, with one selection.
import { createSignal, type JSX, Show } from 'solid-js';
import { NOTHING, type Selection } from '../base/view.ts';
import type { Frame } from '../generated/boundary.ts';
import type { StagesProps } from '../panels/studies/Compare.tsx';
import { Stage } from '../stage/Stage.tsx';
import './stages.css';

export default function Stages(props: StagesProps): JSX.Element {
  const app = props.app;
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const One = (one: { name: string; says: string; frame: Frame | undefined }): JSX.Element => (
    <section aria-label={`Stage of ${one.name}`}>
      <h2>
        <b>{one.name}</b> {one.says}
      </h2>
      <div class="stages-one">
        {/* If B is slower, frames are skipped and single requests on their way would flicker, so ribbons replace them. */}
        <Stage
          frame={one.frame}
          speed={app.transport.speed()}
          playing={app.transport.playing()}
          selected={selected()}
          onSelect={setSelected}
          onSay={(sentence) => app.dialogs.tell(`${one.name}: ${sentence}`)}
          reducedMotion
        />
      </div>
    </section>
  );
  return (
    <div class="stages">
      <Show when={props.frames} fallback={<p class="empty">B is on its way to the instant of A…</p>}>
        {(both) => (
          <>
            <One name="A" says="this run" frame={both().a} />
            <One name="B" says={props.nameOfB} frame={both().b} />
          </>
        )}
      </Show>
    </div>
  );
}
