// The work of autoscalers: replicas by stage over time with the wanted number, and the decisions that changed it.

import { createEffect, createSignal, For, type JSX, on, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import { clock, count, DASH, durationUs, percent, plain, sig3, text } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { Report, ScalingPart, ScalingRow, ScalingRows } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { scaledPools } from '../../state/edits/scaledPools.ts';
import { Block, NameValues, type Row } from '../parts/Block.tsx';
import { choiceText, fieldAt } from '../parts/formFields.ts';
import { TableHead } from '../parts/TableHead.tsx';
import './scaling.css';

const MOST = 50;
const WIDE = 320;
const TALL = 96;
/** Columns of the view in stacking order, from below. */
const STAGES = ['serving', 'cold', 'starting', 'draining'] as const;

export default function ScalingBlock(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'>;
}): JSX.Element {
  const app = props.app;
  const [columns, setColumns] = createSignal<ViewColumns>();
  const [decisions, setDecisions] = createSignal<ScalingRows>();
  const [parts, setParts] = createSignal<readonly ScalingPart[]>([]);
  const ask = oneAtATime(async () => {
    const [found] = await app.studies.columns(['replicas']).catch(() => []);
    setColumns(found);
    setDecisions(await app.selection.closeUp('scaling', { changes_only: true, most: MOST }).catch(() => undefined));
    // The report belongs to an instant and is costly, so it is requested only when the run pauses.
    if (app.transport.mode() !== 'paused') return;
    const report = await app.selection.report().catch(() => undefined);
    if (report) setParts(trust<Report>(JSON.parse(report.json)).scaling ?? []);
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing], ask));
  return (
    <>
      <Block title="Replicas over time" remark={<Legend />}>
        <Stacked data={columns()} endS={(app.transport.throttledFrame()?.axis_end_us ?? 0) / 1e6} />
        <For each={parts()}>{(part) => <NameValues rows={rowsOf(part, policyOf(app, part))} />}</For>
      </Block>
      <Block
        title="Scaling decisions"
        remark={`${count(decisions()?.changes ?? 0)} of ${count(decisions()?.made ?? 0)} change something`}
      >
        <Show
          when={(decisions()?.rows.length ?? 0) > 0}
          fallback={<p class="say">No decision has changed the number of replicas yet.</p>}
        >
          <table class="tbl scaling-table">
            <TableHead names={['At', 'Replicas', 'Why']} />
            <tbody>
              <For each={decisions()?.rows.toReversed()}>{(row) => <Decision row={row} app={app} />}</For>
            </tbody>
          </table>
        </Show>
      </Block>
    </>
  );
}

function Decision(props: { row: ScalingRow; app: Pick<App, 'transport'> }): JSX.Element {
  const row = (): ScalingRow => props.row;
  const why = (): string => [row().rule, row().clamped, row().reverses ? 'reverses' : ''].filter(Boolean).join(', ');
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={() => void props.app.transport.seek(row().at_us / 1e6)}>
          {clock(row().at_us)} s
        </button>
      </th>
      <td>
        {row().current} → {row().desired}
        <Show when={row().unplaced > 0}> ({row().unplaced} without GPUs)</Show>
      </td>
      <td>
        {why()}
        <span class="scaling-seen">
          {text(percent(row().utilization, 0))} in use, {plain(Math.round(row().queued))} waiting
          {seenBefore(row().seen_us_ago)}
        </span>
      </td>
    </tr>
  );
}

/** The age of the measurement behind a decision. */
function seenBefore(us: number | undefined): string {
  if (us === undefined) return '';
  return us === 0 ? ', just measured' : `, measured ${text(durationUs(us))} before`;
}

function Legend(): JSX.Element {
  return (
    <span class="scaling-legend">
      <For each={STAGES}>
        {(stage) => (
          <span>
            <i class={`stage-${stage}`} aria-hidden="true" />
            {stage}
          </span>
        )}
      </For>
      <span>
        <i class="stage-desired" aria-hidden="true" />
        wanted
      </span>
    </span>
  );
}

/** Stages stacked as bands, with the wanted number as a line. */
function Stacked(props: { data: ViewColumns | undefined; endS: number }): JSX.Element {
  const column = (name: string): Float64Array | undefined => {
    const at = props.data?.names.indexOf(name) ?? -1;
    return at < 0 ? undefined : props.data?.columns[at];
  };
  const times = (): Float64Array => column('t_s') ?? new Float64Array();
  const sums = (until: number): number[] =>
    Array.from(times(), (_, i) => STAGES.slice(0, until).reduce((sum, stage) => sum + (column(stage)?.[i] ?? 0), 0));
  const top = (): number => Math.max(1, ...sums(STAGES.length), ...(column('desired') ?? []));
  const x = (i: number): number => (WIDE * (times()[i] ?? 0)) / Math.max(1e-6, props.endS);
  const y = (v: number): number => TALL - (TALL * v) / top();
  const steps = (values: readonly number[]): string => {
    let path = '';
    values.forEach((v, i) => {
      path += `${i === 0 ? 'M' : 'L'}${i === 0 ? 0 : x(i - 1)} ${y(v)}L${x(i)} ${y(v)}`;
    });
    return path;
  };
  const band = (k: number): string => {
    const below = sums(k);
    if (below.length === 0) return '';
    const back = below.map((v, i) => `L${x(i)} ${y(v)}L${i === 0 ? 0 : x(i - 1)} ${y(v)}`).reverse();
    return `${steps(sums(k + 1))}${back.join('')}Z`;
  };
  const last = (name: string): string => plain(column(name)?.at(-1) ?? 0);
  const told = (): string =>
    `Replicas over time, at most ${plain(top())}. Now ${STAGES.map((s) => `${last(s)} ${s}`).join(', ')}, ${last('desired')} wanted.`;
  return (
    <div class="scaling-axes">
      <span class="axis-top">{plain(top())}</span>
      <svg
        class="scaling-chart"
        viewBox={`0 0 ${WIDE} ${TALL}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={told()}
      >
        {/* Hollow means starting, striped means leaving, as on the stage. */}
        <pattern id="stage-leaving" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M0 1h4" />
        </pattern>
        <For each={STAGES}>{(stage, k) => <path class={`stage-${stage}`} d={band(k())} />}</For>
        <path class="stage-desired" d={steps(Array.from(column('desired') ?? []))} />
      </svg>
      <span class="axis-foot">0</span>
      <span class="axis-from">0</span>
      <span class="axis-to">{plain(props.endS)} s</span>
    </div>
  );
}

/** The policy of a pool in the words of the form. */
function policyOf(app: Pick<App, 'document'>, part: ScalingPart): string {
  const [pool] = scaledPools(app.document.current());
  const field = fieldAt(
    app.document.schema,
    app.document.current(),
    `cluster.pools[${pool?.index ?? 0}].scaling.policy`,
  );
  return choiceText(part.policy, field);
}

function rowsOf(part: ScalingPart, policy: string): readonly Row[] {
  return [
    [`${part.pool}: ${policy}`, `${part.serving} of ${part.desired} wanted`],
    ['Starting, draining', `${part.starting}, ${part.draining}`],
    ['Held at the gateway', count(part.held)],
    ['Up, down', `${count(part.scale_ups)}, ${count(part.scale_downs)}`],
    ['Oscillations', count(part.oscillations)],
    ['Capacity never reached', count(part.capacity_never_reached)],
    ['Mean start', part.mean_start_s === undefined ? DASH : `${sig3(part.mean_start_s)} s`],
    ['Replica-seconds', count(Math.round(part.replica_seconds))],
  ];
}
