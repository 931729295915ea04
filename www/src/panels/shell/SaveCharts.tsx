// The charts on screen as files. Loaded when it is opened.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { drawPicture, sizeOf } from '../../charts/drawPicture.ts';
import { type ChartPicture, type Offered, offered } from '../../charts/pictures.ts';
import {
  type About,
  canvasMeasure,
  chartCsv,
  chartPng,
  chartSvg,
  type Drawing,
  fileName,
  spanWords,
} from '../../draw/file/saveChart.ts';
import { pagePalette } from '../../draw/palette.ts';
import type { App } from '../../state/app.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { save } from '../parts/save.ts';
import './chartTools.css';

type Kind = 'PNG' | 'SVG' | 'CSV';
const KINDS: readonly Kind[] = ['PNG', 'SVG', 'CSV'];

export default function SaveCharts(props: { app: Pick<App, 'transport' | 'document'> }): JSX.Element {
  const app = props.app;
  const palette = pagePalette();
  const [failed, setFailed] = createSignal('');
  const aboutOf = (one: Offered): About => {
    const nowS = (app.transport.frame()?.now_us ?? 0) / 1e6;
    const { fromS, toS } = (one.title === 'Timeline' ? undefined : timeWindow()) ?? { fromS: 0, toS: nowS };
    return {
      title: `${one.title}${one.unit?.() ? `, ${one.unit?.()}` : ''}`,
      run: runName(app),
      span: one.span?.() ?? spanWords(fromS, toS),
      link: location.href,
    };
  };
  const write = async (one: Offered, kind: Kind): Promise<void> => {
    const about = aboutOf(one);
    const name = fileName({ ...about, title: one.title }, kind.toLowerCase());
    if (kind === 'CSV') {
      const columns = one.columns();
      if (columns) save(name, chartCsv(about, columns), 'text/csv');
      return;
    }
    const drawing = await (one.drawn?.() ?? drawingOf(one));
    if (!drawing) return;
    if (kind === 'SVG') save(name, chartSvg(about, drawing, palette(), canvasMeasure()), 'image/svg+xml');
    else save(name, await chartPng(about, drawing, palette()), 'image/png');
  };
  return (
    <div class="save-charts">
      <table>
        <caption class="visually-hidden">The charts on screen, as files</caption>
        <tbody>
          <For each={offered()}>
            {(one) => (
              <tr>
                <th scope="row">{one.title}</th>
                <For each={KINDS}>
                  {(kind) => (
                    <td>
                      <button
                        type="button"
                        class="btn box"
                        aria-label={`${one.title} as ${kind}`}
                        onClick={() => write(one, kind).catch((error: unknown) => setFailed(String(error)))}
                      >
                        {kind}
                      </button>
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
      <Show when={failed()}>
        <p role="alert">{failed()}</p>
      </Show>
    </div>
  );
}

/** The title of the scenario, or the name of its preset. */
function runName(app: Pick<App, 'document'>): string {
  const document = app.document.current();
  const title = typeof document === 'object' && document !== null && 'title' in document ? document.title : '';
  return (typeof title === 'string' && title) || app.document.presetName();
}

function drawingOf(one: Offered): Drawing | undefined {
  const first = one.picture(0, 0);
  if (!first) return undefined;
  const { width, height, axis } = sizeOf(first.of);
  const picture: ChartPicture | undefined = one.picture(width, height);
  return picture && { width, height: height + axis, draw: (pen, p) => drawPicture(pen, p, picture) };
}
