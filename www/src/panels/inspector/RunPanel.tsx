// The run as a whole: counts with the conservation check, and the report as the command line prints it.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import { count, durationUs, percentileUs, text } from '../../base/units.ts';
import { lastSpan } from '../../base/view.ts';
import { type Counts, PERCENTILES, type Report, type RunReport } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { openShare } from '../../state/links/sharePart.ts';
import { readChoice, writeChoice } from '../../state/view/flags.ts';
import { accountOpen, setAccountDue, setAccountOpen } from '../../state/view/span.ts';
import { LazyPart } from '../parts/LazyPart.tsx';
import { LoadVerdict } from '../parts/LoadVerdict.tsx';
import { NoticeBlock } from '../parts/NoticeBlock.tsx';
import { TableHead } from '../parts/TableHead.tsx';
import { TrustBlock } from '../parts/Trust.tsx';
import { AnomalyLegend } from './AnomalyList.tsx';
import { DraftsBlock } from './DraftsBlock.tsx';
import { Little } from './Little.tsx';
import { PoolLoads } from './PoolLoads.tsx';
import './handover.css';
import { ReportBlocks } from './ReportBlocks.tsx';

/**
 * Limits on reports of a running run: the least time between two, and the share of time that they may take (one part in
 * this many).
 */
const LEAST_MS = 2000;
const SHARE = 50;

/** Whether all figures are shown is kept in the browser. */
const FIGURES = 'run-figures';
const keepOpen = (event: { currentTarget: HTMLDetailsElement }): void =>
  writeChoice(FIGURES, event.currentTarget.open ? 'open' : 'closed');

const NONE: Counts = {
  arrived: 0,
  in_pipeline: 0,
  held: 0,
  waiting: 0,
  running: 0,
  completed: 0,
  rejected: 0,
  dropped: 0,
  lost: 0,
  conserved: true,
  preemptions: 0,
};

export default function RunPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;
}): JSX.Element {
  const app = props.app;
  const [report, setReport] = createSignal<RunReport>();
  const figures = createMemo(() => {
    const now = report();
    return now ? trust<Report>(JSON.parse(now.json)) : undefined;
  });
  const counts = (): Counts => app.transport.throttledFrame()?.counts ?? NONE;
  /** Requests between their prefill replica and the batch of their home. */
  const moving = (): number => {
    const split = app.transport.throttledFrame()?.split;
    return split ? split.transferring + split.landed : 0;
  };
  // The report belongs to an instant. It is requested when the run pauses, and during the run as often as it is cheap.
  let due = 0;
  const ask = oneAtATime(async () => {
    const began = performance.now();
    if (app.transport.mode() !== 'paused' && began < due) return;
    const next = await app.selection.report().catch(() => undefined);
    due = performance.now() + Math.max(LEAST_MS, SHARE * (performance.now() - began));
    setReport(next);
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing], ask));
  const rows = (): readonly (readonly [string, number])[] => [
    ['In the pipeline', counts().in_pipeline],
    ...(counts().held > 0 ? [['of these waiting at the gateway', counts().held] as const] : []),
    ['Waiting at replicas', counts().waiting],
    ['Running', counts().running],
    ...(app.transport.throttledFrame()?.split ? [['Handed over', moving()] as const] : []),
    ['Completed', counts().completed],
    ['Rejected', counts().rejected],
    ['Dropped', counts().dropped],
    ...(counts().lost > 0 ? [['Lost', counts().lost] as const] : []),
  ];
  const marked = (): string => {
    const all = app.transport.frame()?.anomaly_count ?? 0;
    const shown = app.transport.frame()?.anomalies.length ?? 0;
    return all > shown ? `the first ${count(shown)} of ${count(all)}` : count(all);
  };
  return (
    <>
      <WhyBlock app={app} completed={counts().completed} />
      <Show when={app.transport.throttledFrame()?.split}>
        {(split) => <PoolLoads split={split()} onFind={() => app.dialogs.setFinding(true)} />}
      </Show>
      <DraftsBlock app={app} />
      <NoticeBlock app={app} />
      <LoadVerdict verdict={figures()?.verdict} />
      <TrustBlock pools={figures()?.evidence ?? app.transport.evidence()?.pools} />
      <div class="blk">
        <div class="blk-head">
          <h2>Requests</h2>
          <span class="m">{counts().conserved ? 'conserved ✓' : 'not conserved'}</span>
        </div>
        <dl class="list">
          <div class="sum-row">
            <dt>Arrived</dt>
            <dd>{count(counts().arrived)}</dd>
          </div>
          <For each={rows()}>
            {([name, value]) => (
              <div>
                <dt>{name}</dt>
                <dd>{count(value)}</dd>
              </div>
            )}
          </For>
          <div>
            <dt>Preemptions</dt>
            <dd>{count(counts().preemptions)}</dd>
          </div>
          <div>
            <dt>Engine events</dt>
            <dd>{count(app.transport.throttledFrame()?.events ?? 0)}</dd>
          </div>
        </dl>
      </div>
      <LatencyBlock app={app} />
      <details class="run-figures" open={readChoice(FIGURES) === 'open'} onToggle={keepOpen}>
        <summary>All figures of the run</summary>
        <Little app={app} />
        <Show when={figures()}>{(r) => <ReportBlocks app={app} report={r()} />}</Show>
        <div class="blk">
          <div class="blk-head">
            <h2>Anomalies</h2>
            <span class="m">{marked()}</span>
          </div>
          <AnomalyLegend marks={app.transport.frame()?.anomalies ?? []} />
        </div>
      </details>
      <div class="blk">
        <div class="blk-head">
          <h2>Digest</h2>
          <span class="m">
            {app.transport.frame()?.finished
              ? 'of the whole run'
              : `up to ${text(durationUs(app.transport.frame()?.now_us ?? 0))}`}
          </span>
        </div>
        <Show
          when={app.transport.mode() === 'paused' && report()}
          fallback={<p class="say">Pause to see the digest of the run so far.</p>}
        >
          {(r) => (
            <>
              <p class="say">
                Digest <code class="digest">{r().digest}</code>. The command line gives the same digest for the same
                scenario, on any machine.
              </p>
              <div class="offers">
                <button type="button" class="btn box" onClick={() => void navigator.clipboard.writeText(r().digest)}>
                  Copy the digest
                </button>
                <button type="button" class="btn box" onClick={() => openShare(app, 'files')}>
                  Files of the run…
                </button>
              </div>
            </>
          )}
        </Show>
        <p class="m version">Tokenyard {app.transport.version()}</p>
      </div>
    </>
  );
}

/** Where the time of slow requests went, once it is asked for. */
function WhyBlock(props: { app: Parameters<typeof RunPanel>[0]['app']; completed: number }): JSX.Element {
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Why are slow requests slow?</h2>
      </div>
      <Show
        when={accountOpen()}
        fallback={
          <button
            type="button"
            class="btn box"
            disabled={props.completed < 2}
            onClick={() => {
              props.app.transport.pause();
              setAccountOpen(true);
              setAccountDue(true);
            }}
          >
            Where did their time go?
          </button>
        }
      >
        <LazyPart app={props.app} what="The account of slow requests" load={() => import('../studies/Why.tsx')} />
      </Show>
    </div>
  );
}

/** Percentiles of each latency over the latest seconds. */
function LatencyBlock(props: { app: Pick<App, 'transport'> }): JSX.Element {
  const key = () => props.app.transport.throttledFrame()?.key;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Latency</h2>
        <span class="m">{lastSpan(props.app.transport.throttledFrame())}</span>
      </div>
      <table class="tbl">
        <TableHead names={[<span class="visually-hidden">Metric</span>, ...PERCENTILES, 'n']} />
        <tbody>
          <For each={['ttft', 'tpot', 'itl', 'e2e'] as const}>
            {(name) => (
              <tr>
                <th scope="row">{name.toUpperCase()}</th>
                <For each={['p50_us', 'p90_us', 'p99_us'] as const}>
                  {(p) => <td>{text(percentileUs(key()?.[name][p] ?? 0, key()?.[name].count ?? 0))}</td>}
                </For>
                <td class="m">{count(key()?.[name].count ?? 0)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}
