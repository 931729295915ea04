// What a fault cost so far, and the runs to compare with: without it, with a retry budget, with one replica more.
// Loaded where something broke.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { count, DASH, durationUs, NBSP, ratePerS, text, usd } from '../../base/units.ts';
import { isCrash } from '../../draw/faultMarks.ts';
import type { OneFaultPart } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type Twin, twinsOf } from '../../state/studies/faultTwins.ts';
import { compareAsB } from '../../state/studies/runForB.ts';
import { Block, NameValues, type Row } from './Block.tsx';
import './faultCost.css';

/** `of`: the fault, by its kind, its instant and its replica if these are known; of several the latest. */
export default function FaultCost(props: {
  app: Pick<App, 'transport' | 'document' | 'studies'>;
  of: { readonly kind?: string; readonly atUs?: number; readonly replica?: number | undefined };
}): JSX.Element {
  const { transport, document: doc } = props.app;
  const fault = createMemo(() => {
    const { kind, atUs, replica } = props.of;
    return transport
      .throttledFrame()
      ?.faults?.findLast(
        (one) =>
          (kind === undefined || one.kind === kind) &&
          (atUs === undefined || one.at_us === atUs) &&
          (replica === undefined || one.replica === replica),
      );
  });
  const send = ({ name, document }: Twin): void => {
    compareAsB({ name, document });
    props.app.studies.setComparing(true);
  };
  return (
    <Show when={fault()}>
      {(one) => (
        <Block title={`What the ${one().kind.replaceAll('-', ' ')} of r${one().replica} cost`} remark="so far">
          <NameValues class="fault-cost" rows={rowsOf(one(), transport.throttledFrame()?.now_us ?? 0)} />
          <fieldset class="as-run-b">
            <legend>As run B</legend>
            <For each={twinsOf(doc.current(), one())}>
              {(twin) => (
                <button type="button" class="btn box" title={`Compare with: ${twin.name}`} onClick={() => send(twin)}>
                  {twin.label}
                </button>
              )}
            </For>
          </fieldset>
        </Block>
      )}
    </Show>
  );
}

const seconds = (s: number): string => text(durationUs(1e6 * s));
const whole = (s: number): string => text({ value: count(Math.round(s)), unit: 's' });

function rowsOf(one: OneFaultPart, nowUs: number): readonly Row[] {
  const since = (nowUs - one.at_us) / 1e6;
  const recovery: Row = [
    'Recovery',
    one.recovery_s === undefined ? `not yet,${NBSP}${whole(since)}` : whole(one.recovery_s),
  ];
  const before: Row = ['Goodput before', text(ratePerS(one.goodput_before_per_s))];
  if (!isCrash(one.kind) && one.broken === 0) return [recovery, before];
  return [
    ['Attempts hit', count(one.broken)],
    recovery,
    ['Lost', count(one.lost)],
    ['Known after', one.known_s === undefined ? DASH : seconds(one.known_s)],
    ...(one.kv_blocks_lost === undefined ? [] : [['KV blocks lost', count(one.kv_blocks_lost)] satisfies Row]),
    ...(one.usd_while_down === undefined ? [] : [['Paid while down', usd(one.usd_while_down)] satisfies Row]),
    ['Prefill wasted', count(one.wasted_prefill_tokens)],
    ['Shown in vain', count(one.wasted_decode_tokens)],
    before,
  ];
}
