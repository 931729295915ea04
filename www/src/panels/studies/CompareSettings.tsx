// The settings of two runs at the left: how many seeds, what differs, and how requests are paired.
import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { getAt, type Json } from '../../base/json.ts';
import { sentence } from '../../base/keyWords.ts';
import { count, durationMs, plain, text } from '../../base/units.ts';
import type { RunComparison } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type Change, placedEdits, routeSaid } from '../../state/edits/edits.ts';
import type { Beside, Comparing } from '../../state/studies/compare.ts';
import { choiceText, fieldAt, pathName, plainText } from '../parts/formFields.ts';
import { TrustChip } from '../parts/Trust.tsx';
import { furtherNotices } from './compareDoubts.ts';

/** The same comparison over several seeds, which shows how certain a difference is. */
export function Seeds(props: { comparing: Comparing }): JSX.Element {
  const [count, setCount] = createSignal(5);
  const seeds = props.comparing.seeds;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Over several seeds</h2>
        <span class="m" role="status">
          <Show when={seeds()}>
            {(s) => (
              <>
                <progress aria-label="Runs done" max={s().progress.of} value={s().progress.done} /> {s().progress.done}{' '}
                of {s().progress.of} · {text(durationMs(s().progress.tookMs))}
              </>
            )}
          </Show>
        </span>
      </div>
      <div class="compare-buttons flat">
        <select
          class="in"
          aria-label="How many seeds"
          value={count()}
          onChange={(event) => setCount(Number(event.currentTarget.value))}
        >
          <For each={[3, 5, 10, 20]}>{(n) => <option value={n}>{n} seeds</option>}</For>
        </select>
        <Show
          when={seeds()}
          fallback={
            <button type="button" class="btn box" onClick={() => props.comparing.overSeeds(count())}>
              Run both
            </button>
          }
        >
          {(s) => (
            <button type="button" class="btn box" onClick={props.comparing.forgetSeeds}>
              {s().comparison ? 'Back to one seed' : 'Cancel'}
            </button>
          )}
        </Show>
      </div>
    </div>
  );
}

/** The differences between B and A. */
export function Differs(props: { app: Pick<App, 'document'>; b: Beside }): JSX.Element {
  const differing = props.app.document.differing(() => ({ from: props.app.document.current(), to: props.b.document }));
  const listed = (): readonly Change[] => differing() ?? [];
  /** Requests that B sends to other replicas. */
  const sent = createMemo(() => {
    const [inA, inB] = [props.app.document.current(), props.b.document].map((of) =>
      placedEdits(of).flatMap(({ edit, off }) => (off ? [] : [routeSaid(edit) ?? []])),
    );
    const known = new Set(inA?.map(String));
    return (inB ?? []).filter((said) => said.length > 0 && !known.has(String(said)));
  });
  const edits = (of: Json): number => {
    const all = getAt(of, 'edits');
    return Array.isArray(all) ? all.length : 0;
  };
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Differs</h2>
        <span class="m">
          {edits(props.b.document) === edits(props.app.document.current())
            ? ''
            : `edits: ${edits(props.app.document.current())} in A, ${edits(props.b.document)} in B`}
        </span>
      </div>
      <ul class="compare-differs">
        <For each={listed().slice(0, 20)}>
          {(change) => (
            <li>
              <span>{pathName(props.app.document.schema, props.b.document, change.path)}</span>
              <span class="m">
                {said(props.app, change.path, change.from)} → <b>{said(props.app, change.path, change.to)}</b>
              </span>
            </li>
          )}
        </For>
        <For each={sent()}>
          {([what, to]) => (
            <li>
              <span>{what}</span>
              <b>{to}</b>
            </li>
          )}
        </For>
        <Show
          when={
            differing()?.length === 0 &&
            sent().length === 0 &&
            edits(props.b.document) === edits(props.app.document.current())
          }
        >
          <li class="s">nothing: B is the same run</li>
        </Show>
      </ul>
    </div>
  );
}

export function said(app: Pick<App, 'document'>, path: string, value: Json | undefined): string {
  const field = fieldAt(app.document.schema, app.document.current(), path);
  if (field?.input.kind === 'choice' && value !== undefined) return choiceText(value, field);
  return typeof value === 'object' && value !== null ? choiceText(value) : plainText(value) || 'default';
}

export function Pairing(props: { comparison: RunComparison }): JSX.Element {
  const c = (): RunComparison => props.comparison;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Pairing</h2>
        <span class="m">{c().paired ? 'request by request' : 'distributions only'}</span>
      </div>
      <Show when={c().not_paired}>{(why) => <p class="say">{sentence(why())}</p>}</Show>
      <dl class="compare-pairing">
        <dt>
          {c().paired ? 'Pairs' : 'Requests of A'}
          {c().since_s === undefined ? '' : ` from ${plain(c().since_s ?? 0)} s on`}
        </dt>
        <dd>{count(c().requests)}</dd>
        <dt>Workload digest</dt>
        <dd>
          <code>{c().a.workload_digest.slice(0, 8)}</code>
        </dd>
        <For each={LOST}>
          {(what) => (
            <>
              <dt>{sentence(what)}</dt>
              <dd>
                {count(c().a[what])} → {count(c().b[what])}
              </dd>
            </>
          )}
        </For>
      </dl>
      <p class="say">{c().explained}.</p>
      <div class="compare-trust">
        <TrustChip label="A" pools={c().a.evidence} />
        <TrustChip label="B" pools={c().b.evidence} />
      </div>
      <For each={furtherNotices(c())}>{(notice) => <p class="say">{sentence(notice)}.</p>}</For>
    </div>
  );
}

/** Requests that have not ended, or ended before the last token. */
const LOST = ['refused', 'dropped', 'unfinished'] as const;
