// Stage and charts, joined to the state of the page: the page and a run within another page show the same.
import type { JSX } from 'solid-js';
import { Charts } from './charts/Charts.tsx';
import { Stage } from './stage/Stage.tsx';
import type { App } from './state/app.ts';

export function StageView(props: { app: App }): JSX.Element {
  const app = props.app;
  return (
    <section class="stage" aria-label="Stage">
      <Stage
        frame={app.frame()}
        speed={app.speed()}
        playing={app.playing()}
        selected={app.selected()}
        onSelect={app.select}
        onSay={(sentence) => app.tell(sentence)}
        reducedMotion={app.reducedMotion()}
      />
    </section>
  );
}

/** The charts; `only` names those to show, where not all are. */
export function ChartsView(props: { app: App; only?: readonly string[] | undefined }): JSX.Element {
  const app = props.app;
  return (
    <section class="charts" aria-label="Charts">
      <Charts
        data={app.data()}
        cursorS={app.cursorS()}
        onCursor={app.setCursorS}
        frame={app.frame()}
        selected={app.selected()}
        onSelect={app.select}
        onPlace={app.openSlowest}
        onSeek={(timeS) => void app.seek(timeS)}
        warmUpS={app.warmUpS()}
        measured={app.measuredRun()}
        only={props.only}
      />
    </section>
  );
}
