// The decision of an autoscaler at the playhead: its inputs beside the true values, its rule, its estimates; then all
// decisions.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { trust } from '../../base/trust.ts';
import { clock, count, DASH, NBSP, percent, plain, ratePerS, sig3, text } from '../../base/units.ts';
import type { ViewColumns } from '../../base/view.ts';
import type { ScalingRow, ScalingRows } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type ScaledPool, scaledPools } from '../../state/edits/scaledPools.ts';
import { Block } from '../parts/Block.tsx';
import { TableHead } from '../parts/TableHead.tsx';
import { Estimator } from './Estimator.tsx';
import ScalingBlock from './ScalingBlock.tsx';
import { changeOf, type Figure, figureAt, type Manner, seenOf, whyOf, withUnit } from './scalingWords.ts';
import './scaling.css';

export default function ScalingPanel(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies'>;
}): JSX.Element {
  const app = props.app;
  const pools = createMemo(() => scaledPools(app.document.current()));
  const [picked, setPicked] = createSignal(0);
  const pool = (): ScaledPool | undefined => pools()[Math.min(picked(), pools().length - 1)];
  const [seen, setSeen] = createSignal<{ readonly rows: ScalingRows; readonly data: ViewColumns | undefined }>();
  const ask = oneAtATime(async () => {
    const index = pool()?.index;
    if (index === undefined) return;
    const query = { pool: index, changes_only: false, most: 1 };
    const rows = await app.selection.closeUp('scaling', query).catch(() => undefined);
    const [data] = await app.studies.columns(['estimator']).catch(() => []);
    if (rows) setSeen({ rows, data });
  });
  createEffect(on([app.transport.refreshTick, app.transport.playing, pool], ask));
  const row = (): ScalingRow | undefined => seen()?.rows.rows.at(-1);
  const figure = createMemo((): Figure | undefined => {
    const at = row();
    const of = pool();
    return at && of ? figureAt(seen()?.data, at.at_us, of.index) : undefined;
  });
  const manner = (): Manner => ({
    asCoded: getAt(pool()?.scaling, 'policy.wva-queueing-model.mode') === 'as-coded',
    up: setting('policy.wva-queueing-model.up'),
    together: !['alone', undefined].includes(trust<string | undefined>(getAt(pool()?.scaling, 'optimizer'))),
  });
  const setting = (path: string): number => Number(getAt(pool()?.scaling, path));
  return (
    <Show when={pool()} fallback={<NoAutoscaler />}>
      {(of) => (
        <>
          <Show when={pools().length > 1}>
            <div class="pad scaling-pools">
              <label>
                Pool{' '}
                <select class="in" onChange={(event) => setPicked(event.currentTarget.selectedIndex)}>
                  <For each={pools()}>{(p) => <option>{p.name}</option>}</For>
                </select>
              </label>
            </div>
          </Show>
          <Show when={row()} fallback={<NoDecision tickS={setting('tick_s')} />}>
            {(at) => (
              <>
                <Headline row={at()} figure={figure()} manner={manner()} made={seen()?.rows.made ?? 0} />
                <Inputs row={at()} figure={figure()} windowS={setting('window_s')} />
                <Rule
                  row={at()}
                  figure={manner().asCoded || manner().together ? undefined : figure()}
                  least={setting('min')}
                  most={setting('max')}
                />
                <Show when={figure()}>
                  {(f) => (
                    <Estimator
                      row={at()}
                      figure={f()}
                      data={seen()?.data}
                      pool={of().index}
                      multiplier={Number(getAt(of().scaling, 'policy.wva-queueing-model.slo_multiplier'))}
                      nowS={(app.transport.throttledFrame()?.now_us ?? 0) / 1e6}
                      endS={(app.transport.throttledFrame()?.axis_end_us ?? 0) / 1e6}
                    />
                  )}
                </Show>
              </>
            )}
          </Show>
          <ScalingBlock app={app} />
        </>
      )}
    </Show>
  );
}

function NoAutoscaler(): JSX.Element {
  return (
    <div class="empty">
      <p>No pool has an autoscaler.</p>
      <p class="m">Choose a policy under Autoscaling in the form, or open a preset such as “The filter, mended”.</p>
    </div>
  );
}

function NoDecision(props: { tickS: number }): JSX.Element {
  return (
    <div class="empty">
      <p>There is no decision yet.</p>
      <p class="m">
        The autoscaler decides every {plain(props.tickS)}
        {NBSP}s. Run on, or press the arrow to go to the next decision.
      </p>
    </div>
  );
}

function Headline(props: { row: ScalingRow; figure: Figure | undefined; manner: Manner; made: number }): JSX.Element {
  return (
    <section class="blk" aria-label="Decision">
      <div class="blk-head">
        <h2 class="big">
          {changeOf(props.row)} at {clock(props.row.at_us)} s
        </h2>
        <span class="m">decision {count(props.made)}</span>
      </div>
      <p class="say scaling-why">{whyOf(props.row, props.figure, props.manner)}</p>
    </section>
  );
}

/** Inputs that differ by more than this share are highlighted: they may have changed the decision. */
const APART = 0.2;

function Inputs(props: { row: ScalingRow; figure: Figure | undefined; windowS: number }): JSX.Element {
  const row = (): ScalingRow => props.row;
  const now = (k: 0 | 1 | 2): number => row().now?.[k] ?? Number.NaN;
  const predicted = (name: string): string => {
    const ms = props.figure?.(name) ?? Number.NaN;
    return Number.isFinite(ms) ? sig3(ms) : DASH;
  };
  const ms = (us: number): string => (us > 0 ? sig3(us / 1000) : DASH);
  const apart = (seen: number, there: number): boolean => there > 0 && Math.abs(seen / there - 1) > APART;
  const size = (name: string): string => plain(Math.round(props.figure?.(name) ?? Number.NaN));
  return (
    <Block title="Inputs" remark={seenOf(row(), props.windowS)}>
      <table class="tbl scaling-inputs">
        <TableHead names={[<span class="visually-hidden">What</span>, 'scraped', 'true now', 'predicted']} />
        <tbody>
          <tr>
            <th scope="row">
              Arrivals <span class="m">req/s</span>
            </th>
            <td>{ratePerS(row().rate_per_s).value}</td>
            <td classList={{ apart: apart(row().rate_per_s, now(0)) }}>{ratePerS(now(0)).value}</td>
            <td>{DASH}</td>
          </tr>
          <tr>
            <th scope="row">
              TTFT <span class="m">mean, ms</span>
            </th>
            <td>{ms(row().ttft_us)}</td>
            <td classList={{ apart: apart(row().ttft_us, now(1)) }}>{ms(now(1))}</td>
            <td>{predicted('predicted_ttft_ms')}</td>
          </tr>
          <tr>
            <th scope="row">
              ITL <span class="m">mean, ms</span>
            </th>
            <td>{ms(row().itl_us)}</td>
            <td classList={{ apart: apart(row().itl_us, now(2)) }}>{ms(now(2))}</td>
            <td>{predicted('predicted_itl_ms')}</td>
          </tr>
          <Show when={props.figure}>
            {(figure) => (
              <tr>
                <th scope="row">
                  Load decided on <span class="m">req/s</span>
                </th>
                <td>{ratePerS(figure()('demand_per_s')).value}</td>
                <td>{DASH}</td>
                <td>{DASH}</td>
              </tr>
            )}
          </Show>
          <Show when={props.figure}>
            <tr>
              <th scope="row">
                Prompt, answer <span class="m">tokens</span>
              </th>
              <td>
                {size('input_tokens')}, {size('output_tokens')}
              </td>
              <td>{DASH}</td>
              <td>{DASH}</td>
            </tr>
          </Show>
          <tr>
            <th scope="row">Waiting, in use</th>
            <td>
              {plain(Math.round(row().queued))}, {text(percent(row().utilization, 0))}
            </td>
            <td>{DASH}</td>
            <td>{DASH}</td>
          </tr>
          <tr>
            <th scope="row">Ready, pending</th>
            <td>{DASH}</td>
            <td>
              {row().ready}, {row().pending}
            </td>
            <td>{DASH}</td>
          </tr>
        </tbody>
      </table>
      <p class="m scaling-note">
        True now: since the measurement before the decision, without window or lag.
        <Show when={props.figure}> Load decided on: the arrivals at the measured replicas.</Show>
      </p>
    </Block>
  );
}

const WIDE = 300;

function Rule(props: { row: ScalingRow; figure: Figure | undefined; least: number; most: number }): JSX.Element {
  const row = (): ScalingRow => props.row;
  const end = (): number => Math.max(2, props.most, row().current, Math.min(row().recommended, 2 * props.most)) + 1;
  const x = (n: number): number => 8 + ((WIDE - 16) * Math.min(n, end())) / end();
  const needed = (): number => props.figure?.('needed') ?? Number.NaN;
  const told = (): string =>
    `From ${row().current} to ${row().desired} replicas; the load needs ${row().recommended}, ${props.least} to ${props.most} are allowed`;
  const clamped = (): string => {
    if (row().clamped === 'to-max') return `capped at ${props.most}`;
    return row().clamped === 'to-min' ? `raised to ${props.least}` : 'within limits';
  };
  return (
    <Block title="Rule" remark={row().rule}>
      <svg class="scaling-rule" viewBox={`0 0 ${WIDE} 34`} role="img" aria-label={told()}>
        <path class="beyond" d={`M${x(0)} 16H${x(end())}`} />
        <path class="within" d={`M${x(props.least)} 16H${x(props.most)}`} />
        <For each={[props.least, props.most]}>{(n) => <path class="bound" d={`M${x(n)} 11v10`} />}</For>
        <Show when={Number.isFinite(needed())}>
          <path class="needed" d={`M${x(needed())} 16l-4 -8h8z`} />
        </Show>
        <circle class="current" cx={x(row().current)} cy="16" r="4.5" />
        <circle class="desired" cx={x(row().desired)} cy="16" r="3" />
        <text x={x(0)} y="32">
          0
        </text>
        <text x={x(props.least)} y="32" text-anchor="middle">
          {props.least > 0 ? `min ${props.least}` : ''}
        </text>
        <text x={x(props.most)} y="32" text-anchor="middle">
          max {props.most}
        </text>
      </svg>
      <dl class="scaling-chain">
        <div>
          <dt>running or starting ○</dt>
          <dd>{row().current}</dd>
        </div>
        <div>
          <dt>load needs</dt>
          <dd>{row().recommended}</dd>
        </div>
        <div>
          <dt>wanted ●</dt>
          <dd>{row().desired}</dd>
        </div>
        <div>
          <dt>{clamped()}</dt>
          <dd>
            {props.least} … {props.most}
          </dd>
        </div>
      </dl>
      <Show when={Number.isFinite(needed())}>
        <p class="m scaling-note">
          ▼ {sig3(needed())} replicas carry {withUnit(props.figure?.('demand_per_s') ?? Number.NaN, 'req/s')} at the
          share of λ* that the rule allows.
        </p>
      </Show>
      <Show when={row().unplaced > 0}>
        <p class="m scaling-note">{row().unplaced} of them wait for GPUs.</p>
      </Show>
      <Show when={row().reverses}>
        <p class="m scaling-note">This reverses the previous change within the cooldown.</p>
      </Show>
    </Block>
  );
}
