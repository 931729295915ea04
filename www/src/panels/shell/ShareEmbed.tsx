// The code that embeds the run in another page: which charts, the note, the size, and when it starts.
import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import { CHART_NAMES, type ChartedRun, chartedRun, hasChart } from '../../base/chartList.ts';
import { createLatest } from '../../base/latest.ts';
import { titleOf } from '../../charts/titles.ts';
import { LINK_CHARTS } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { isScaled } from '../../state/edits/scaledPools.ts';
import { NOTE_BESIDE, STARTS_IN_VIEW } from '../../state/links/linkText.ts';

/** Least and most pixels of an edge of the frame. */
const EDGE = { least: 200, most: 4000 };

export function EmbedCode(props: {
  app: Pick<App, 'document' | 'links' | 'transport'>;
  withView: boolean;
  title: string;
  address: string;
  onCopy: (text: Promise<string>, what: string) => void;
}): JSX.Element {
  const [charts, setCharts] = createSignal<readonly string[]>(['ttft-over-time']);
  const [withNote, setWithNote] = createSignal(false);
  const [inView, setInView] = createSignal(false);
  const [width, setWidth] = createSignal(800);
  const [height, setHeight] = createSignal(450);
  const [link, setLink] = createSignal('');
  const latest = createLatest<string>(setLink, () => setLink(''));
  const run = (): ChartedRun => chartedRun(props.app.transport.writtenFrame(), isScaled(props.app.document.current()));
  const names = (): string[] => [
    ...charts(),
    ...(withNote() ? [NOTE_BESIDE] : []),
    ...(inView() ? [STARTS_IN_VIEW] : []),
  ];
  createEffect(
    on([names, () => props.withView, props.app.document.current], ([embed, withView]) => {
      latest.take(props.app.links.make({ withView, embed }).then((made) => made?.link ?? ''));
    }),
  );
  const toggle = (name: string, isOn: boolean): void => {
    // In the order of the list.
    setCharts((now) => CHART_NAMES.filter((one) => (one === name ? isOn : now.includes(one))));
  };
  const isFull = (): boolean => names().length >= LINK_CHARTS;
  const code = (of = link()): string => {
    const name = props.title.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return `<iframe src="${props.address}${of}" width="${width()}" height="${height()}" title="${name}"></iframe>`;
  };
  const Size = (size: { name: string; value: number; onSet: (px: number) => void }): JSX.Element => (
    <input
      class="in embed-size"
      type="number"
      aria-label={`${size.name} of the frame, in pixels`}
      min={EDGE.least}
      max={EDGE.most}
      value={size.value}
      onChange={(event) => {
        const px = Math.round(Number(event.currentTarget.value));
        const fits = px >= EDGE.least && px <= EDGE.most;
        if (fits) size.onSet(px);
        else event.currentTarget.value = String(size.value);
      }}
    />
  );
  return (
    <Show when={link() !== ''}>
      <div class="share-embed">
        <div class="share-head">
          <h3>Embed</h3>
          <span class="s">stage and transport, with</span>
          <span class="grow" />
          <span class="embed-sizes">
            <Size name="Width" value={width()} onSet={setWidth} /> ×{' '}
            <Size name="Height" value={height()} onSet={setHeight} /> <span class="s">px</span>
          </span>
          <button type="button" class="btn box" onClick={() => props.onCopy(latest.settled().then(code), 'Code')}>
            Copy code
          </button>
        </div>
        <fieldset class="embed-charts">
          <legend class="visually-hidden">What the frame shows</legend>
          <For each={CHART_NAMES.filter((name) => name !== 'ttft-density' && hasChart(name, run()))}>
            {(name) => (
              <label>
                <input
                  type="checkbox"
                  checked={charts().includes(name)}
                  disabled={isFull() && !charts().includes(name)}
                  onChange={(event) => toggle(name, event.currentTarget.checked)}
                />
                {titleOf(name)}
              </label>
            )}
          </For>
          <label>
            <input
              type="checkbox"
              checked={withNote()}
              disabled={isFull() && !withNote()}
              onChange={(event) => setWithNote(event.currentTarget.checked)}
            />
            Note
          </label>
          <label>
            <input
              type="checkbox"
              checked={inView()}
              disabled={isFull() && !inView()}
              onChange={(event) => setInView(event.currentTarget.checked)}
            />
            Plays once it is scrolled into view
          </label>
        </fieldset>
        <textarea
          class="share-url"
          aria-label="Code that embeds the run"
          readonly
          rows="3"
          value={code()}
          onFocus={(event) => event.currentTarget.select()}
        />
      </div>
    </Show>
  );
}
