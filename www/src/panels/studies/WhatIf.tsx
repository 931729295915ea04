// Alternatives to a routing decision: the request sent elsewhere as run B, and a table of all alternatives. Loaded with
// the decision.
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import { clock, count, DASH, durationMs, signed, text } from '../../base/units.ts';
import type { Alternative, RequestDetail, WhatIf, WhatIfQuery } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { sendElsewhere } from '../../state/studies/sendElsewhere.ts';
import { askWhatIf, prepareWhatIf, stopAsking } from '../../state/studies/whatIf.ts';
import { shownOf } from '../parts/regret.ts';
import './whatif.css';

/** The most alternatives to run; each is a run of its own. */
const MOST = 16;
/** After this time on a request, its question is prepared. */
const LOOKED_AT_MS = 200;

export default function WhatIfBlock(props: {
  app: Pick<App, 'transport' | 'document' | 'studies'>;
  detail: RequestDetail;
  /** Whether the user chose the request: one that the page chose prepares nothing. */
  chosen: boolean;
}): JSX.Element {
  const app = props.app;
  const [found, setFound] = createSignal<WhatIf>();
  const [trouble, setTrouble] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const others = () => shownOf(props.detail.candidates).filter((c) => !c.chosen);
  let asked = 0;
  const forget = (): void => {
    asked += 1;
    setFound(undefined);
    setTrouble('');
    setBusy(false);
  };
  createEffect(on(() => props.detail.request, forget, { defer: true }));

  const send = (to: number): void => void sendElsewhere(app, props.detail, to);

  const query = (): WhatIfQuery => {
    const { request, routed_us } = props.detail;
    const until_us = app.transport.frame()?.now_us ?? 0;
    return { request, most: MOST, until_us, ...(routed_us !== undefined && { routed_us }) };
  };
  createEffect(
    on([() => props.detail.request, app.transport.playing, () => props.chosen], ([, playing, chosen]) => {
      if (playing || !chosen) return;
      const timer = setTimeout(() => prepareWhatIf(app, query()), LOOKED_AT_MS);
      onCleanup(() => clearTimeout(timer));
    }),
  );

  async function ask(): Promise<void> {
    const own = ++asked;
    setBusy(true);
    setTrouble('');
    const answer = await askWhatIf(app, query());
    if (own !== asked) return;
    setBusy(false);
    if ('found' in answer) setFound(answer.found);
    else setTrouble(answer.trouble);
  }

  return (
    <div class="blk what-if">
      <div class="blk-head">
        <h2>What if</h2>
        <Show when={found()}>{(w) => <span class="m">up to {clock(w().until_us)} s</span>}</Show>
      </div>
      <fieldset class="send-to">
        <legend>Send it elsewhere, as run B:</legend>
        <For each={others()}>
          {(c) => (
            <button
              type="button"
              class="btn box"
              aria-label={`Send it to r${c.replica} instead`}
              onClick={() => send(c.replica)}
            >
              r{c.replica}
            </button>
          )}
        </For>
      </fieldset>
      <Show
        when={found()}
        fallback={
          <Show
            when={busy()}
            fallback={
              <button type="button" class="btn box" onClick={() => void ask()}>
                Compare all alternatives
              </button>
            }
          >
            <span role="status">Running the alternatives… </span>
            <button type="button" class="btn box" onClick={stopAsking}>
              Stop
            </button>
          </Show>
        }
      >
        {(w) => (
          <>
            <Regrets found={w()} />
            <div class="scores">
              <table class="tbl">
                <caption class="visually-hidden">
                  Request {w().request} on each replica, and what that means for all others
                </caption>
                <thead>
                  <tr>
                    <th scope="col">
                      <span class="visually-hidden">Replica</span>
                    </th>
                    <th scope="col">score</th>
                    <th scope="col">E2E</th>
                    <th scope="col">there − here</th>
                    <th scope="col">others</th>
                    <th scope="col">
                      <abbr title="other requests that would have been faster and slower">faster, slower</abbr>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  <For each={w().alternatives}>{(a) => <Row a={a} onSend={() => send(a.replica)} />}</For>
                </tbody>
              </table>
            </div>
            <p class="m foot-note">
              Each replica had the request in a run of its own; difference = there − here. Others: summed E2E of all
              other requests that finished in both.{' '}
              <Show when={w().alternatives.some((a) => a.e2e_ms === null)}>
                –: the request has not finished there or here by then; go on to compare.{' '}
              </Show>
              <Show when={w().left_out > 0}>{count(w().left_out)} replicas with lower scores are left out.</Show>
            </p>
          </>
        )}
      </Show>
      <p class="trouble" role="alert">
        {trouble()}
      </p>
    </div>
  );
}

function Regrets(props: { found: WhatIf }): JSX.Element {
  const ms = (x: number | null): string => (x === null ? DASH : text(durationMs(x)));
  /** The best replica for the request, if not this one. */
  const best = (): number | undefined => {
    if (!props.found.regret_ms) return undefined;
    const done = props.found.alternatives.filter((a) => a.e2e_ms !== null);
    return done.toSorted((a, b) => (a.e2e_ms ?? 0) - (b.e2e_ms ?? 0))[0]?.replica;
  };
  return (
    <dl class="facts">
      <div>
        <dt>{best() === undefined ? 'This request' : `This request: slower than on r${best()}`}</dt>
        <dd>{props.found.regret_ms === 0 ? 'best here' : ms(props.found.regret_ms)}</dd>
      </div>
      <div>
        <dt>All requests together</dt>
        <dd>{ms(props.found.total_regret_ms)}</dd>
      </div>
      <div>
        <dt>Router’s own score</dt>
        <dd>{props.found.score_regret.toFixed(2)}</dd>
      </div>
    </dl>
  );
}

function Row(props: { a: Alternative; onSend: () => void }): JSX.Element {
  const diff = (x: number | null): string => (x === null ? DASH : text(signed(durationMs(x))));
  const e2e = (): string => (props.a.e2e_ms === null ? props.a.state : text(durationMs(props.a.e2e_ms)));
  return (
    <tr classList={{ pick: props.a.chosen }}>
      <th scope="row">
        <Show when={!props.a.chosen} fallback={<>r{props.a.replica}</>}>
          <button
            type="button"
            class="link"
            aria-label={`Send it to r${props.a.replica} instead, as run B`}
            onClick={props.onSend}
          >
            r{props.a.replica}
          </button>
        </Show>
      </th>
      <td>{props.a.excluded === undefined ? props.a.score.toFixed(2).replace('-', '−') : DASH}</td>
      <td>{e2e()}</td>
      <td class="total">{props.a.chosen ? 'chosen' : diff(props.a.e2e_diff_ms)}</td>
      <td>{props.a.chosen ? DASH : diff(props.a.others.e2e.sum_ms)}</td>
      <td class="t">
        {props.a.chosen ? DASH : `${count(props.a.others.e2e.gained)} / ${count(props.a.others.e2e.lost)}`}
      </td>
    </tr>
  );
}
