// One step: what its time was made of, its batch, and what it cost the others; and the figures of the selected span, by replica.

import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { oneAtATime } from '../../base/oneAtATime.ts';
import { clock, count, durationUs, NBSP, percent, sig3, text } from '../../base/units.ts';
import { Listed, restOfTable, restOfTerms } from '../../draw/GrowingList.tsx';
import { createThrottled } from '../../draw/throttled.ts';
import type { Lanes, StepDetail, StepTerms } from '../../generated/boundary.ts';
import { ignoreLost } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { chosenStep, openReplica, setOpenReplica } from '../../state/view/closeup.ts';
import { span } from '../../state/view/span.ts';
import { Block } from '../parts/Block.tsx';
import { TableHead } from '../parts/TableHead.tsx';
import { BatchBlock } from './BatchBlock.tsx';
import './step.css';

type Slices = Pick<App, 'transport' | 'selection'>;
type Term = {
  readonly key: keyof StepTerms;
  readonly name: string;
  readonly look: string;
  /** Its place among the shares. */
  readonly at: number;
};

/** The terms in order, with what each is; the last three only where they are not zero. */
const TERMS: readonly Term[] = [
  { key: 'base_us', name: 'base', look: 'base', at: 0 },
  { key: 'batch_us', name: 'batch', look: 'batch', at: 1 },
  { key: 'kv_us', name: 'KV reads', look: 'kv', at: 2 },
  { key: 'prefill_us', name: 'prefill', look: 'prefill', at: 3 },
  { key: 'transfers_us', name: 'CPU tier', look: 'waits', at: 4 },
  { key: 'adapters_us', name: 'adapters', look: 'waits', at: 5 },
  { key: 'others_us', name: 'other ranks or stages', look: 'waits', at: 6 },
];
const ALWAYS: ReadonlySet<keyof StepTerms> = new Set(['base_us', 'kv_us', 'prefill_us']);
const shownOf = (terms: StepTerms): readonly Term[] => TERMS.filter(({ key }) => ALWAYS.has(key) || terms[key] > 0);

export default function StepPanel(props: { app: Slices }): JSX.Element {
  const app = props.app;
  const [step, setStep] = createSignal<StepDetail | null>();
  const ask = oneAtATime(async () => {
    const asked = chosenStep();
    try {
      setStep(asked && (await app.selection.closeUp('step', asked)));
    } catch (error) {
      ignoreLost(error);
    }
  });
  createEffect(on([chosenStep, app.transport.refreshTick], ask));
  /** What runs now on its replica. */
  const runs = () => app.transport.throttledFrame()?.replicas.find((r) => r.id === chosenStep()?.replica);
  return (
    <>
      <Show
        when={step()}
        fallback={
          <div class="empty">
            <p>
              {chosenStep()
                ? 'This step is no longer kept: go back in time to see it.'
                : 'Click a step in the lanes, or press comma or period there.'}
            </p>
          </div>
        }
      >
        {(now) => <Step app={app} step={now()} />}
      </Show>
      <Show when={runs()}>{(replica) => <BatchBlock app={app} replica={replica()} />}</Show>
      <Show when={span()}>
        <SpanTotals app={app} />
      </Show>
    </>
  );
}

function Step(props: { readonly app: Slices; readonly step: StepDetail }): JSX.Element {
  const step = (): StepDetail => props.step;
  const inPrefill = (): string => (step().chunks.length === 0 ? '' : `${step().chunks.length} in prefill`);
  return (
    <>
      <div class="blk step-head">
        <div class="blk-head">
          <h2>Step {count(step().seq)}</h2>
          <span class="pill">r{step().replica}</span>
          <Show when={inPrefill()}>
            <span class="pill">
              <i class="sw8 term prefill" aria-hidden="true" />
              {inPrefill()}
            </span>
          </Show>
          <span class="m">{`${clock(step().at_us)}${NBSP}s`}</span>
        </div>
        <p>
          <Linked app={props.app} text={step().sentence} />
        </p>
      </div>
      <Block title="What its time was made of" remark="ms">
        <TermBar of={step()} />
        <table class="terms">
          <tbody>
            <For each={shownOf(step().terms)}>
              {({ key, name, look, at }) => (
                <tr>
                  <th scope="row">
                    <i class={`sw8 term ${look}`} aria-hidden="true" /> {name}
                    <small>{whatOf(key, step())}</small>
                  </th>
                  <td>{sig3(step().terms[key] / 1000)}</td>
                  <td>{text(percent(step().shares[at] ?? Number.NaN, 1))}</td>
                </tr>
              )}
            </For>
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">step</th>
              <td>{sig3(step().span_us / 1000)}</td>
              <td>{text(percent(1))}</td>
            </tr>
          </tfoot>
        </table>
      </Block>
      <Batch app={props.app} step={step()} />
    </>
  );
}

/** What a term counts, beside its name. */
function whatOf(key: keyof StepTerms, step: StepDetail): string {
  if (key === 'base_us') return 'launch, weights, one token';
  if (key === 'batch_us') return 'the others that decode';
  if (key === 'kv_us') return `${count(step.context_tokens)} tokens read`;
  if (key === 'prefill_us') return `${count(step.prompt_tokens)} prompt tokens`;
  return '';
}

function Batch(props: { readonly app: Slices; readonly step: StepDetail }): JSX.Element {
  const tokens = (n: number): string => `${count(n)}${NBSP}${n === 1 ? 'token' : 'tokens'}`;
  const decoding = (): string => (props.step.decode === 0 ? '–' : tokens(props.step.decode));
  return (
    <Block title="Its batch" remark={`at most ${tokens(props.step.token_budget)}`}>
      <dl class="list">
        <div>
          <dt>
            <i class="sw8 term kv" aria-hidden="true" />
            {count(props.step.decode)} decoding
          </dt>
          <dd>{decoding()}</dd>
        </div>
        <Listed each={props.step.chunks} rest={restOfTerms}>
          {(chunk) => (
            <div>
              <dt>
                <i class="sw8 term prefill" aria-hidden="true" />
                <RequestLink app={props.app} request={chunk.request} />
                <small>{`${count(chunk.from)}–${count(chunk.to)} of ${count(chunk.of)}`}</small>
              </dt>
              <dd>{tokens(chunk.tokens)}</dd>
            </div>
          )}
        </Listed>
        <div>
          <dt>Running, waiting</dt>
          <dd>{`${count(props.step.running)}, ${count(props.step.waiting)}`}</dd>
        </div>
        <div>
          <dt>
            KV in use
            <small>{`${count(props.step.kv_used)} of ${count(props.step.kv_total)} blocks`}</small>
          </dt>
          <dd>{text(percent(props.step.kv_share ?? Number.NaN, 1))}</dd>
        </div>
      </dl>
    </Block>
  );
}

function RequestLink(props: { readonly app: Slices; readonly request: number }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => props.app.selection.select({ request: props.request, replica: undefined })}
    >
      #{props.request}
    </button>
  );
}

/** A sentence with its requests as buttons. */
function Linked(props: { readonly app: Slices; readonly text: string }): JSX.Element {
  const parts = (): readonly string[] => props.text.split(/(#\d+)/);
  return (
    <For each={parts()}>
      {(part) => (/^#\d+$/.test(part) ? <RequestLink app={props.app} request={Number(part.slice(1))} /> : part)}
    </For>
  );
}

function TermBar(props: { readonly of: Pick<StepDetail, 'terms' | 'shares'> }): JSX.Element {
  const says = (): string =>
    shownOf(props.of.terms)
      .map(({ name, at }) => `${name} ${text(percent(props.of.shares[at] ?? Number.NaN))}`)
      .join(', ');
  return (
    <div class="term-bar" role="img" aria-label={says()}>
      <For each={shownOf(props.of.terms)}>
        {({ key, look }) => (
          <i
            class={`term ${look}`}
            ref={(el) => createEffect(() => (el.style.flexGrow = String(props.of.terms[key])))}
          />
        )}
      </For>
    </div>
  );
}

/** The steps that began in the selected span: by replica, and their time by what it was for. */
function SpanTotals(props: { readonly app: Slices }): JSX.Element {
  const [found, setFound] = createSignal<Lanes>();
  const shown = createThrottled(span, 120);
  const ask = oneAtATime(async () => {
    const now = shown();
    if (!now) return;
    const [from_us, to_us] = [Math.round(now.fromS * 1e6), Math.round(now.toS * 1e6)];
    try {
      setFound(
        await props.app.selection.closeUp('lanes', { from_us, to_us, most: 0, requests: 0, first: 0, count: 0 }),
      );
    } catch (error) {
      ignoreLost(error);
    }
  });
  createEffect(on([shown, props.app.transport.refreshTick], ask));
  onCleanup(() => setFound(undefined));
  return (
    <Show when={found()}>
      {(lanes) => (
        <Block title="Selected span" remark={spanWords(lanes())}>
          <Show when={lanes().totals.steps > 0} fallback={<p class="say">No step began in it.</p>}>
            <TermBar of={lanes().totals} />
            <p class="m span-terms">
              <For each={shownOf(lanes().totals.terms)}>
                {({ name, look, at }) => (
                  <span>
                    <i class={`sw8 term ${look}`} aria-hidden="true" /> {name}{' '}
                    {text(percent(lanes().totals.shares[at] ?? Number.NaN))}
                  </span>
                )}
              </For>
            </p>
          </Show>
          <ByReplica lanes={lanes()} />
        </Block>
      )}
    </Show>
  );
}

function spanWords(lanes: Lanes): string {
  const [from, to] = [lanes.from_us, lanes.to_us].map((us) => (us / 1e6).toFixed(2));
  return `${from}–${to}${NBSP}s · ${text(durationUs(lanes.to_us - lanes.from_us))}`;
}

function ByReplica(props: { readonly lanes: Lanes }): JSX.Element {
  return (
    <table class="by-replica">
      <TableHead names={['replica', 'steps', 'p50 ms', 'tokens out', 'prompt']} />
      <tbody>
        <Listed each={props.lanes.lanes} rest={restOfTable}>
          {({ replica, totals }) => (
            <tr classList={{ open: replica === openReplica() }}>
              <th scope="row">
                <button type="button" class="link" onClick={() => setOpenReplica(replica)}>
                  r{replica}
                </button>
              </th>
              <td>{count(totals.steps)}</td>
              <td>{sig3((totals.p50_us ?? Number.NaN) / 1000)}</td>
              <td>{count(totals.output_tokens)}</td>
              <td>{count(totals.prompt_tokens)}</td>
            </tr>
          )}
        </Listed>
      </tbody>
    </table>
  );
}
