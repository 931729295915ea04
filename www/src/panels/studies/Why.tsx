// Why slow requests are slow: where their time went compared with fast ones, with sentences that explain it. Loaded on
// request.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { count, durationMs, percent, secondsOf, signed, text } from '../../base/units.ts';
import type { AccountedTime, CausePart, ExplainQuery, Explanation, SpanBy } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { askWhy, askWhyAsMarkdown, stopAsking } from '../../state/studies/whatIf.ts';
import { accountDue, setAccountDue, setSpan, span, spanBetween } from '../../state/view/span.ts';
import { setSpanShown } from '../../state/view/spanShown.ts';
import { TableHead } from '../parts/TableHead.tsx';
import './whatif.css';

/** The requests to explain: those above a percentile, or all that arrived in a span of time. */
const BANDS = [99, 95, 90, 50] as const;

/** The span that two typed texts limit; a text that is no time leaves its side open. */
function limits(from: string, to: string): Pick<ExplainQuery, 'from_us' | 'to_us'> {
  const [fromS, toS] = [secondsOf(from.trim()), secondsOf(to.trim())];
  return {
    ...(fromS === undefined ? {} : { from_us: Math.round(fromS * 1e6) }),
    ...(toS === undefined ? {} : { to_us: Math.round(toS * 1e6) }),
  };
}

export default function Why(props: { app: Pick<App, 'transport' | 'selection' | 'document'> }): JSX.Element {
  const app = props.app;
  const [time, setTime] = createSignal<AccountedTime>('e2e');
  const [above, setAbove] = createSignal<number>(BANDS[0]);
  const [by, setBy] = createSignal<SpanBy>('end');
  const [from, setFrom] = createSignal('');
  const [to, setTo] = createSignal('');
  const [found, setFound] = createSignal<{ readonly e: Explanation; readonly query: ExplainQuery }>();
  const [trouble, setTrouble] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  let host: HTMLDivElement | undefined;

  async function ask(): Promise<void> {
    setBusy(true);
    setTrouble('');
    const query: ExplainQuery = {
      ...{ time: time(), above: above(), by: by(), until_us: app.transport.frame()?.now_us ?? 0 },
      ...limits(from(), to()),
    };
    const answer = await askWhy(app, query);
    setBusy(false);
    setFound('found' in answer ? { e: answer.found, query } : undefined);
    if ('trouble' in answer) setTrouble(answer.trouble);
  }

  // The fields follow the selection on the charts, and typed values change that selection.
  createEffect(
    on(span, (now) => {
      setFrom(now ? String(now.fromS) : '');
      setTo(now ? String(now.toS) : '');
    }),
  );
  const typed = (): void => {
    const [fromS, toS] = [secondsOf(from().trim()), secondsOf(to().trim())];
    const frame = app.transport.frame();
    // One limit may be typed before the other.
    if (fromS !== undefined && toS !== undefined && fromS <= toS && frame) {
      setSpan(spanBetween(fromS, toS, frame.now_us / 1e6, frame.axis_end_us / 1e6, time()));
      setSpanShown(true);
    } else if (from().trim() === '' && to().trim() === '') setSpanShown(false);
  };
  // The question of who opened this; from the charts, all requests of the span, by the latency of the chart it was selected on.
  createEffect(
    on(accountDue, (due) => {
      if (!due) return;
      setAccountDue(false);
      const now = span();
      if (!now) {
        void ask();
        return;
      }
      setTime(now.of);
      setAbove(0);
      setBy('end');
      // The blocks above have their final heights once the answer has come.
      void ask().then(() => host?.closest('.blk')?.scrollIntoView({ block: 'start' }));
    }),
  );

  return (
    <div class="why-account" ref={host}>
      <form
        class="why-ask"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <label>
          Time
          <select
            class="in"
            value={time()}
            onChange={(event) => setTime(event.currentTarget.value === 'ttft' ? 'ttft' : 'e2e')}
          >
            <option value="e2e">E2E</option>
            <option value="ttft">TTFT</option>
          </select>
        </label>
        <label>
          Requests
          <select class="in" value={String(above())} onChange={(event) => setAbove(Number(event.currentTarget.value))}>
            <For each={BANDS}>{(p) => <option value={p}>above p{p}</option>}</For>
            <option value="0">all of the span</option>
          </select>
        </label>
        <label>
          that
          <select
            class="in"
            value={by()}
            onChange={(event) => setBy(event.currentTarget.value === 'arrival' ? 'arrival' : 'end')}
          >
            <option value="end">{time() === 'ttft' ? 'got their first token' : 'finished'}</option>
            <option value="arrival">arrived</option>
          </select>
        </label>
        <label>
          from, s
          <input
            class="in"
            size={6}
            inputmode="decimal"
            value={from()}
            onInput={(event) => setFrom(event.currentTarget.value)}
            onChange={typed}
          />
        </label>
        <label>
          to, s
          <input
            class="in"
            size={6}
            inputmode="decimal"
            value={to()}
            onInput={(event) => setTo(event.currentTarget.value)}
            onChange={typed}
          />
        </label>
        <Show
          when={busy()}
          fallback={
            <button type="submit" class="btn box">
              Explain
            </button>
          }
        >
          <button type="button" class="btn box" onClick={stopAsking}>
            Stop
          </button>
        </Show>
      </form>
      <p class="trouble" role="alert">
        {trouble()}
      </p>
      <Show when={found()}>
        {(now) => (
          <>
            <Explained app={app} e={now().e} />
            <CopyMarkdown app={app} query={now().query} />
          </>
        )}
      </Show>
    </div>
  );
}

function Explained(props: { app: Pick<App, 'selection'>; e: Explanation }): JSX.Element {
  const parts = createMemo(() => props.e.causes.filter((c) => c.slow_ms > 0 || c.fast_ms > 0));
  /** The largest difference first. */
  const byDifference = createMemo(() => parts().toSorted((a, b) => Math.abs(b.diff_ms) - Math.abs(a.diff_ms)));
  const longest = (): number => Math.max(props.e.slow.mean_ms, props.e.fast.mean_ms, 1e-9);
  return (
    <>
      <p class="why-said" aria-live="polite">
        {props.e.sentences.map((sentence) => sentence.text).join(' ')}
      </p>
      <div class="why-bars">
        <span>slow</span>
        <Stack parts={parts()} of="slow_ms" longest={longest()} />
        <span>fast</span>
        <Stack parts={parts()} of="fast_ms" longest={longest()} />
      </div>
      <div class="scores">
        <table class="tbl why-table">
          <caption class="visually-hidden">Where the time of the slow and of the fast requests went</caption>
          <TableHead names={['Part', 'slow', 'fast', 'diff, share', 'most']} />
          <tbody>
            <For each={byDifference()}>{(part) => <Row app={props.app} part={part} />}</For>
            <tr>
              <th scope="row">Together</th>
              <td class="total">{text(durationMs(props.e.slow.mean_ms))}</td>
              <td class="total">{text(durationMs(props.e.fast.mean_ms))}</td>
              <td class="total">{text(signed(durationMs(props.e.diff_ms)))}</td>
              <td />
            </tr>
          </tbody>
        </table>
      </div>
      <p class="m foot-note">
        Means of {count(props.e.slow.requests)} and {count(props.e.fast.requests)} requests. From the cache:{' '}
        {text(percent(props.e.slow.cached_share))} and {text(percent(props.e.fast.cached_share))} of their prompt
        tokens; preempted: {text(percent(props.e.slow.preempted_share))} and{' '}
        {text(percent(props.e.fast.preempted_share))}; sent to a replica with more load than the router saw:{' '}
        {text(percent(props.e.slow.stale_share))} and {text(percent(props.e.fast.stale_share))}.
      </p>
    </>
  );
}

/** The explanation as Markdown, for an issue or a chat. */
function CopyMarkdown(props: { app: Pick<App, 'document'>; query: ExplainQuery }): JSX.Element {
  const [status, setStatus] = createSignal('');
  async function copy(): Promise<void> {
    const answer = await askWhyAsMarkdown(props.app, props.query);
    if ('trouble' in answer) {
      setStatus(answer.trouble);
      return;
    }
    const copied = await navigator.clipboard.writeText(answer.found).then(
      () => true,
      () => false,
    );
    setStatus(copied ? 'Copied' : 'The browser did not allow the copy.');
  }
  return (
    <div class="offers">
      <button type="button" class="btn box" onClick={() => void copy()}>
        Copy as Markdown
      </button>
      <span class="m" role="status">
        {status()}
      </span>
    </div>
  );
}

/** One bar of the parts; the longer of the two fills its width. */
function Stack(props: { parts: readonly CausePart[]; of: 'slow_ms' | 'fast_ms'; longest: number }): JSX.Element {
  const placed = createMemo(() => {
    let x = 0;
    return props.parts.map((part) => {
      const width = (1000 * part[props.of]) / props.longest;
      x += width;
      return { cause: part.cause, x: x - width, width };
    });
  });
  return (
    <svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">
      <For each={placed()}>
        {(bar) => <rect class={`cause-${bar.cause}`} x={bar.x} y="0" width={bar.width} height="14" />}
      </For>
    </svg>
  );
}

function Row(props: { app: Pick<App, 'selection'>; part: CausePart }): JSX.Element {
  const whose = (): string => props.part.clients.map((c) => `${c.client} ${text(percent(c.share))}`).join(', ');
  return (
    <tr>
      <th scope="row" title={whose() === '' ? undefined : `Prompts of ${whose()}`}>
        <span class={`why-key cause-${props.part.cause}`} />
        {props.part.name}
      </th>
      <td>{text(durationMs(props.part.slow_ms))}</td>
      <td>{text(durationMs(props.part.fast_ms))}</td>
      <td>
        {text(signed(durationMs(props.part.diff_ms)))}
        <br />
        <span class="m">{text(signed(percent(props.part.diff_share)))}</span>
      </td>
      <td>
        <Show when={props.part.evidence[0]}>
          {(most) => (
            <button
              type="button"
              class="link"
              title={`${text(durationMs(most().ms))} of it, on r${most().replica}`}
              onClick={() => props.app.selection.select({ request: most().request, replica: undefined })}
            >
              #{most().request}
            </button>
          )}
        </Show>
      </td>
    </tr>
  );
}
