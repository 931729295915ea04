// The brushed requests: what sets them apart from the rest, where their TTFT went, its percentiles, the slowest of them.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { count, DASH, durationUs, NBSP, plain, text } from '../../base/units.ts';
import { isFew } from '../../base/view.ts';
import type { RequestFilter, SelectionSide, SelectionSummary } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { boxes, setArea } from '../../state/view/closeup.ts';
import { answers, summary } from '../../state/view/density.ts';
import { setSpan, span, spanBetween } from '../../state/view/span.ts';
import { setSpanShown } from '../../state/view/spanShown.ts';
import { Block } from '../parts/Block.tsx';
import './selection.css';

const whole = (share: number | null): string => (share === null ? DASH : `${share.toFixed(0)}${NBSP}%`);
const latency = (us: number | null, n: number): string => (us === null || n === 0 ? DASH : text(durationUs(us)));

/** From the first arrival to the last of a filter, in seconds. */
function spanOf({ boxes: all, from_us, to_us }: RequestFilter, nowS: number): readonly [number, number] {
  if (all.length === 0) return [from_us / 1e6, to_us === 0 ? nowS : to_us / 1e6];
  return [Math.min(...all.map((b) => b.from_us)) / 1e6, Math.max(...all.map((b) => b.to_us)) / 1e6];
}

export default function SelectionPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'links' | 'dialogs'>;
}): JSX.Element {
  const isBrushed = (): boolean => boxes().length > 0 || span() !== undefined;
  /** The account is of an earlier selection while the present one has no request. */
  const isOld = (): boolean => !isBrushed() || answers()?.rows.matching === 0;
  return (
    <Show
      when={summary()}
      fallback={
        <div class="blk">
          <p class="say">
            Brush requests on the heat map of Density to see what sets them apart: drag over it, or press B and the
            arrow keys.
          </p>
          <div class="offers">
            <button type="button" class="btn box" onClick={() => setArea('density')}>
              Show Density
            </button>
          </div>
        </div>
      }
    >
      {(found) => (
        <div class="selection" classList={{ old: isOld() }}>
          <Summary app={props.app} of={found().of} found={found().found} old={isOld()} />
        </div>
      )}
    </Show>
  );
}

function Summary(props: {
  app: Pick<App, 'transport' | 'selection' | 'links' | 'dialogs'>;
  of: RequestFilter;
  found: SelectionSummary;
  old: boolean;
}): JSX.Element {
  const nowS = (): number => (props.app.transport.writtenFrame()?.now_us ?? 0) / 1e6;
  const limits = () => spanOf(props.of, nowS());
  return (
    <>
      <div class="blk">
        <div class="blk-head">
          <h2 class="big">{count(props.found.these.count)} requests</h2>
          <span class="m">
            {plain(Number(limits()[0].toFixed(2)))} – {plain(Number(limits()[1].toFixed(2)))} s
          </span>
        </div>
        <Show when={props.old}>
          <p class="m">
            {boxes().length > 0 ? 'No request is here; this is the selection before.' : 'The latest selection.'}
          </p>
        </Show>
        <p class="say">{props.found.sentence}</p>
      </div>
      <Show when={props.found.apart.length > 0}>
        <Block title="What sets them apart" remark="these, the rest">
          <ul class="apart">
            <For each={props.found.apart}>
              {({ what, these, rest }) => (
                <li>
                  <span>{what}</span>
                  <Pair these={these} rest={rest} />
                  <b>{whole(these)}</b>
                  <i>{whole(rest)}</i>
                </li>
              )}
            </For>
          </ul>
        </Block>
      </Show>
      <Block title="Where their TTFT went" remark="share of the sum">
        <ul class="went">
          <Went name="these" side={props.found.these} />
          <Went name="the rest" side={props.found.rest} />
        </ul>
      </Block>
      <Block title="TTFT">
        <Percentiles these={props.found.these} rest={props.found.rest} />
      </Block>
      <Actions app={props.app} found={props.found} limits={limits()} />
    </>
  );
}

/** Two bars: these thick, the rest thin. */
function Pair(props: { these: number; rest: number }): JSX.Element {
  const W = 72;
  const at = (share: number): number => (W * Math.min(100, Math.max(0, share))) / 100;
  return (
    <svg class="pair" width={W} height="12" viewBox={`0 0 ${W} 12`} aria-hidden="true">
      <rect class="these" y="1" height="6" width={at(props.these)} />
      <rect class="rest" y="9" height="2" width={at(props.rest)} />
    </svg>
  );
}

function Went(props: { name: string; side: SelectionSide }): JSX.Element {
  const W = 150;
  const queue = (): number => props.side.queue_percent ?? 0;
  return (
    <li>
      <span>{props.name}</span>
      <svg class="went-bar" width={W} height="12" viewBox={`0 0 ${W} 12`} aria-hidden="true">
        <rect class="queue" x="0.5" y="2.5" height="7" width={Math.max(0, (W * queue()) / 100 - 1)} />
        <rect
          class="prefill"
          x={(W * queue()) / 100}
          y="2"
          height="8"
          width={(W * (props.side.prefill_percent ?? 0)) / 100}
        />
      </svg>
      <span>
        queue <b>{whole(props.side.queue_percent)}</b>
      </span>
    </li>
  );
}

function Percentiles(props: { these: SelectionSide; rest: SelectionSide }): JSX.Element {
  const row = (name: string, side: SelectionSide): JSX.Element => (
    <tr>
      <th scope="row">{name}</th>
      <td>{latency(side.ttft.p50_us, side.ttft.count)}</td>
      <td>{latency(side.ttft.p90_us, side.ttft.count)}</td>
      <td classList={{ few: isFew(side.ttft.count) }}>{latency(side.ttft.p99_us, side.ttft.count)}</td>
      <td>{latency(side.slowest_us, side.ttft.count)}</td>
    </tr>
  );
  return (
    <>
      <table class="sides">
        <thead>
          <tr>
            <td />
            <th scope="col">p50</th>
            <th scope="col">p90</th>
            <th scope="col">p99</th>
            <th scope="col">slowest</th>
          </tr>
        </thead>
        <tbody>
          {row('these', props.these)}
          {row('the rest', props.rest)}
        </tbody>
      </table>
      <p class="m">
        n = {count(props.these.ttft.count)}, {count(props.rest.ttft.count)} with a first token
        {isFew(props.these.ttft.count) ? ': few for a p99' : ''}
      </p>
    </>
  );
}

function Actions(props: {
  app: Pick<App, 'transport' | 'selection' | 'links' | 'dialogs'>;
  found: SelectionSummary;
  limits: readonly [number, number];
}): JSX.Element {
  const app = props.app;
  const [failed, setFailed] = createSignal('');
  const filter = (): void => {
    const frame = app.transport.writtenFrame();
    const [fromS, toS] = props.limits;
    setSpan(spanBetween(fromS, toS, (frame?.now_us ?? 0) / 1e6, (frame?.axis_end_us ?? 0) / 1e6, 'ttft'));
    setSpanShown(true);
    setArea('charts');
  };
  const copy = async (): Promise<void> => {
    const made = await app.links.make({ withView: true }).catch(() => null);
    if (!made) {
      setFailed('This run is too large for a link.');
      return;
    }
    const { origin, pathname } = location;
    navigator.clipboard.writeText(origin + pathname + made.link).then(
      () => app.dialogs.tell('Link to this selection copied.'),
      () => setFailed('The browser did not allow copying.'),
    );
  };
  return (
    <div class="blk">
      <div class="offers">
        <Show when={props.found.slowest !== null}>
          <button
            type="button"
            class="btn box"
            onClick={() => app.selection.select({ request: props.found.slowest ?? 0, replica: undefined })}
          >
            Open #{props.found.slowest}, the slowest
          </button>
        </Show>
        <button type="button" class="btn box" onClick={() => void app.transport.seek(props.limits[1])}>
          Go to {plain(Number(props.limits[1].toFixed(2)))} s
        </button>
        <button type="button" class="btn box" onClick={filter}>
          Filter charts
        </button>
        <button type="button" class="btn box" onClick={() => void copy()}>
          Copy link
        </button>
      </div>
      <p role="status" class="m">
        {failed()}
      </p>
    </div>
  );
}
