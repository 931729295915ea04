// Sessions over time: turns, what each found of what was known, and what is kept in pauses. Loaded when it is opened.
import { createMemo, type JSX, onCleanup, Show } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import { count, short } from '../../base/units.ts';
import type { SessionRows } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import type { App } from '../../state/app.ts';
import { createKvRegret } from '../../state/studies/kvRegret.ts';
import { timeWindow } from '../../state/view/closeup.ts';
import { createAnswer, createWidth } from '../parts/following.ts';
import { KeyMark } from '../parts/KeptPattern.tsx';
import { ToolRow } from '../parts/ToolRow.tsx';
import { AgainCurve } from './AgainCurve.tsx';
import { PauseHeat } from './PauseHeat.tsx';
import { createPolicies, PolicyChoice } from './PolicyChoice.tsx';
import { Regret } from './Regret.tsx';
import { SessionPicture } from './SessionPicture.tsx';
import { foundShare, turnWords } from './sessionWords.ts';
import './sessions.css';

/** An answer at most this often, in milliseconds. */
const EVERY_MS = 500;

export default function Sessions(props: { app: App }): JSX.Element {
  const app = props.app;
  const { width, ref } = createWidth();
  const selected = (): number | undefined => app.selection.selected().request;
  const answer = createAnswer(
    app,
    EVERY_MS,
    () => {
      const shown = timeWindow();
      const [from, to] = shown ? [shown.fromS, shown.toS] : [0, 0];
      const request = selected();
      return app.selection.closeUp('sessions', {
        from_us: Math.round(from * 1e6),
        to_us: Math.round(to * 1e6),
        ...(request === undefined ? {} : { request }),
      });
    },
    () => [timeWindow(), selected()],
  );
  const thread = new Asking('compare');
  onCleanup(() => thread.end());
  const policies = createPolicies(app, thread);
  const regret = createKvRegret(thread);
  const scenario = createMemo(() => writeDocument(app.document.current()));
  const isKept = (): boolean => (answer()?.sessions ?? 0) > 0;
  const turns = createMemo(() => answer()?.rows.flatMap((row) => row.turns) ?? []);
  const isWanted = (): boolean => turns().some((turn) => turn.wanted.length > 0);
  const isFetched = (): boolean =>
    turns().some((turn) => turn.fetched.length > 0 || turn.found.some((part) => part.tier !== 'gpu'));
  const policy = (): string | undefined => policies().find((choice) => Object.keys(choice.set).length === 0)?.name;
  const select = (request: number): void => app.selection.select({ request, replica: undefined });
  return (
    <section class="closeup" aria-label="Sessions">
      <ToolRow>
        <KeyMark look="turn">turn</KeyMark>
        <KeyMark look="kept">kept</KeyMark>
        <KeyMark look="below">kept below</KeyMark>
        <KeyMark look="evicted">evicted</KeyMark>
        <KeyMark look="computed">computed</KeyMark>
        <Show when={isWanted()}>
          <KeyMark look="wanted">to be kept</KeyMark>
        </Show>
        <Show when={isFetched()}>
          <KeyMark look="fetched">fetched back</KeyMark>
        </Show>
        <span class="grow" />
      </ToolRow>
      <div class="sessions" classList={{ plain: !isKept() }}>
        <Show when={isKept()}>
          <PolicyChoice app={app} policies={policies()} />
        </Show>
        <Show when={answer()} fallback={<p class="empty">The sessions are on their way…</p>}>
          {(rows) => (
            <Show when={isKept()}>
              <Sums of={rows()} />
            </Show>
          )}
        </Show>
        <section class="sessions-host" aria-label="Rows of sessions" tabindex={0} ref={ref}>
          <Show when={answer() && width() > 0 && answer()}>
            {(rows) => (
              <Show
                when={isKept()}
                fallback={
                  <p class="empty">
                    No request of this run belongs to a session. Clients with <code>conversation</code> or{' '}
                    <code>agent</code>, and traces that name sessions, have them.
                  </p>
                }
              >
                <Show when={rows().map}>
                  {(map) => <PauseHeat of={rows()} map={map()} width={width()} chosen={selected()} onSelect={select} />}
                </Show>
                <Show when={rows().rows.length > 0}>
                  <SessionPicture of={rows()} width={width()} chosen={selected()} onSelect={select} />
                </Show>
              </Show>
            )}
          </Show>
        </section>
        <Show when={width() > 0 && isKept() && answer()}>
          {(rows) => <AgainCurve of={rows()} runs={regret.rows()} now={policy()} width={width()} />}
        </Show>
        <Chosen rows={answer()} request={selected()} />
        <Show when={isKept()}>
          <Regret of={regret} scenario={scenario()} now={policy()} />
        </Show>
      </div>
    </section>
  );
}

/** The sums of all sessions. */
function Sums(props: { of: SessionRows }): JSX.Element {
  return (
    <p class="session-sums">
      <b>{short(props.of.again_tokens)}</b> tokens computed again, <b>{foundShare(props.of)}</b> of{' '}
      {short(props.of.known_tokens)} known tokens found, <b>{count(props.of.returns)}</b> returns of{' '}
      {count(props.of.sessions)} sessions
    </p>
  );
}

/** What the selected turn found. */
function Chosen(props: { rows: SessionRows | undefined; request: number | undefined }): JSX.Element {
  const found = createMemo(() => {
    for (const row of props.rows?.rows ?? []) {
      const at = row.turns.findIndex((turn) => turn.request === props.request);
      const turn = row.turns[at];
      if (turn) return turnWords(row, turn, row.turns[at - 1]);
    }
    return undefined;
  });
  return (
    <p class="session-chosen" aria-live="polite">
      <Show when={found()} fallback={<span class="m">Select a turn to see what it found.</span>}>
        {found()}
      </Show>
    </p>
  );
}
