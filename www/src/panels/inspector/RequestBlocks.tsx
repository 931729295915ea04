// One request: its story in a sentence, where its time went, why it was routed to its replica. Loaded when one is
// chosen.
import { createMemo, createSignal, type JSX, lazy, Show, Suspense } from 'solid-js';
import { clock, count, DASH, durationUs, text } from '../../base/units.ts';
import { ClientShape } from '../../draw/shapes.tsx';
import type { Part, RequestDetail } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { openShare } from '../../state/links/sharePart.ts';
import { Segments } from '../parts/Segments.tsx';
import { Waterfall } from '../parts/Waterfall.tsx';
import { AnomalyBlock } from './AnomalyList.tsx';
import { Decision } from './Decision.tsx';
import { BlocksAtBothEnds, TwoDecisions } from './HandoverBlocks.tsx';
import { unscoredAt } from './unscored.ts';
import './handover.css';

const WhatIfBlock = lazy(() => import('../studies/WhatIf.tsx'));

export default function RequestBlocks(props: {
  app: Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links'>;
  detail: RequestDetail;
}): JSX.Element {
  const d = (): RequestDetail => props.detail;
  const client = createMemo(() =>
    (props.app.transport.throttledFrame()?.clients ?? []).findIndex((c) => c.name === d().client),
  );
  /** The output processing of each token on its replica. */
  const overheadUs = (): number => {
    const frame = props.app.transport.throttledFrame();
    const pool = frame?.replicas.find((r) => r.id === d().replica)?.pool;
    return frame?.pools.find((p) => p.name === pool)?.output_us ?? 0;
  };
  const [part, setPart] = createSignal<'whole' | 'first'>('whole');
  const output = (): Part | undefined => d().parts.find((part) => part.kind === 'output');
  const remote = () => (d().handover?.prefill === undefined ? undefined : d().handover);
  const where = (): string => (d().replica === undefined ? d().state : `${d().state} on r${d().replica}`);
  return (
    <>
      <div class="blk">
        <div class="rq">
          <h2 class="big">#{d().request}</h2>
          <span class="pill">
            <ClientShape client={Math.max(0, client())} />
            {d().client}
          </span>
          <span class="pill">{where()}</span>
          <Show when={remote()}>
            {(h) => (
              <span class="pill">
                r{h().prefill} to r{h().home}
              </span>
            )}
          </Show>
          <span class="m end">
            {d().e2e_us === undefined
              ? `${text(durationUs(d().lasted_us))} so far, ${count(d().output_tokens)} tokens`
              : `E2E ${text(durationUs(d().lasted_us))}`}
          </span>
        </div>
        <p class="say">{d().summary}</p>
        <dl class="facts">
          <Fact name="TTFT" value={d().ttft_us === undefined ? DASH : text(durationUs(d().ttft_us ?? 0))} />
          <Fact name="TPOT" value={d().tpot_us === undefined ? DASH : text(durationUs(d().tpot_us ?? 0))} />
          <Fact name="E2E" value={d().e2e_us === undefined ? DASH : text(durationUs(d().e2e_us ?? 0))} />
          <Fact name="Prompt tokens" value={count(d().prompt_tokens)} />
          <Fact name="from cache" value={count(d().cached_tokens)} />
          <Fact name="Output tokens" value={count(d().output_tokens)} />
          <Fact name="KV blocks" value={count(d().blocks)} />
          <Fact name="Preempted" value={count(d().preemptions)} />
          <Show when={d().adapter}>{(adapter) => <Fact name="Adapter" value={adapter()} />}</Show>
          <Show when={d().recorded_at}>{(at) => <Fact name="Recorded at" value={at()} />}</Show>
        </dl>
        <div class="offers">
          <button type="button" class="btn box" onClick={() => openShare(props.app, 'request')}>
            Share #{d().request}…
          </button>
        </div>
      </div>
      <AnomalyBlock app={props.app} of={(a) => a.request === d().request} />
      <div class="blk">
        <div class="blk-head">
          <h2>Waterfall</h2>
          <span class="m">
            {clock(d().arrival_us)} – {clock(d().until_us)} s
          </span>
        </div>
        <Show when={isShort(d())}>
          <Segments
            label="Part of the waterfall"
            class="zoom-to"
            options={[
              ['whole', 'Whole'],
              ['first', 'To the first token'],
            ]}
            chosen={part()}
            onChoose={setPart}
          />
        </Show>
        <Waterfall detail={d()} endUs={part() === 'first' && isShort(d()) ? d().ttft_us : undefined} />
        <Show when={output()}>
          {(part) => (
            <p class="m note">
              Output: {count(part().tokens)} tokens × {text(durationUs(overheadUs()))} of processing after their steps.
              The client waits for it, the engine does not.
            </p>
          )}
        </Show>
      </div>
      <Show when={d().handover}>
        {(handover) => (
          <TwoDecisions
            handover={handover()}
            homes={d().candidates}
            onReplica={(replica) => props.app.selection.select({ request: undefined, replica })}
          />
        )}
      </Show>
      <Show when={remote()}>{(handover) => <BlocksAtBothEnds handover={handover()} request={d().request} />}</Show>
      <div class="blk">
        <div class="blk-head">
          <h2>Why {d().replica === undefined ? 'there' : `r${d().replica}`}</h2>
          <span class="m">as the router saw it; load also as it was</span>
        </div>
        <Show
          when={d().candidates.length > 0}
          fallback={
            <p class="say">
              There is no decision yet, or it is no longer kept: only the latest are, and in a large fleet only some.
            </p>
          }
        >
          <Decision
            list={d().candidates}
            unscored={d().handover ? undefined : unscoredAt(props.app.document.current(), d().routed_us ?? 0)}
            onReplica={(replica) => props.app.selection.select({ request: undefined, replica })}
          />
        </Show>
      </div>
      <Show when={d().routed_us !== undefined && d().candidates.length > 1}>
        <Suspense>
          <WhatIfBlock app={props.app} detail={d()} chosen={props.app.selection.selected().request === d().request} />
        </Suspense>
      </Show>
    </>
  );
}

/** Whether the time to the first token is too short beside the whole to read its phases there. */
function isShort(d: RequestDetail): boolean {
  return d.ttft_us !== undefined && d.ttft_us > 0 && d.ttft_us * 2 < d.total_us;
}

function Fact(props: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
