// Two runs on the same requests: the run on screen, A, and another, B, that keeps step with it. Loaded when it is opened.
import {
  type Component,
  createEffect,
  createMemo,
  createSignal,
  For,
  type JSX,
  lazy,
  on,
  Show,
  Suspense,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { getAt, type Json, setAt } from '../base/json.ts';
import { sentence } from '../base/schema.ts';
import { readDocument } from '../base/text.ts';
import { clock, count, durationMs, text } from '../base/units.ts';
import { Icon } from '../draw/glyphs.tsx';
import type { RunComparison } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { type Beside, type BothFrames, type Comparing, createComparing } from '../state/compare.ts';
import { changes, type ListedEdit, placedEdits, routeSaid, withEdit, withoutEdit } from '../state/edits.ts';
import { isLinkText } from '../state/linkText.ts';
import { sendToB, sentToB } from '../state/sentToB.ts';
import { CompareCharts } from './CompareCharts.tsx';
import { CompareFigures, CompareRegret, NoOracle } from './CompareFigures.tsx';
import { CompareTables } from './CompareTables.tsx';
import { choiceText, fieldAt, pathName, plainText } from './formFields.ts';
import { overlay } from './overlay.ts';
import './compare.css';

const Race = lazy(() => import('./Race.tsx'));
const Sweep = lazy(() => import('./Sweep.tsx'));

/** What is compared: two runs, several policies, or values of a field. */
const STUDIES = ['Two runs', 'Race', 'Sweep'] as const;
type Study = (typeof STUDIES)[number];

const ROUTING = 'cluster.routing';
type From = 'start' | 'playhead';

/** What of two runs is shown. */
const SHOWN = ['Charts', 'Stages'] as const;

/** Both stages, drawn by what is given: panels know no stage. */
export type StagesProps = {
  readonly app: App;
  readonly frames: BothFrames | undefined;
  readonly nameOfB: string;
};

export function Compare(props: { app: App; stages: Component<StagesProps> }): JSX.Element {
  const app = props.app;
  const [shown, setShown] = createSignal<(typeof SHOWN)[number]>('Charts');
  let host: HTMLElement | undefined;
  const comparing = createComparing({
    frame: app.frame,
    document: app.document,
    rests: () => app.mode() === 'paused',
    traceFile: app.traceFile,
    outcomes: app.outcomes,
    columns: app.columns,
    inspect: app.inspect,
  });
  const [study, setStudy] = createSignal<Study>('Two runs');
  createEffect(
    on(sentToB, (next) => {
      if (!next) return;
      sendToB(undefined);
      setStudy('Two runs');
      void comparing.choose(next);
    }),
  );
  overlay(
    () => host,
    () => app.setComparing(false),
  );
  const promote = async (b: Beside): Promise<void> => {
    if (await app.applyAsRun(b.document)) app.setComparing(false);
  };
  const swap = async (b: Beside): Promise<void> => {
    const a: Beside = { name: 'A before the swap', document: app.document() };
    if (await app.applyAsRun(b.document)) await comparing.choose(a);
  };
  const raceAsB = (next: Beside): void => {
    setStudy('Two runs');
    void comparing.choose(next);
  };
  const twoRuns = (): JSX.Element => (
    <>
      <div class="compare-side">
        <div class="compare-scroll">
          <Chooser app={app} choose={(next) => void comparing.choose(next)} />
          <Show when={comparing.trouble()}>
            {(told) => (
              <p class="compare-trouble" role="alert">
                {told()}
              </p>
            )}
          </Show>
          <Show when={comparing.beside()}>
            {(b) => (
              <>
                <Differs app={app} b={b()} />
                <div class="compare-buttons">
                  <button type="button" class="btn box" onClick={() => void swap(b())}>
                    Swap A and B
                  </button>
                  <button type="button" class="btn box" onClick={() => void promote(b())}>
                    Go on with B
                  </button>
                </div>
              </>
            )}
          </Show>
          <Show when={comparing.beside()}>
            <Seeds comparing={comparing} />
          </Show>
          <Show when={comparing.result()}>{(found) => <Pairing comparison={found().comparison} />}</Show>
        </div>
      </div>
      <div class="compare-mid">
        <Show
          when={comparing.beside()}
          fallback={
            <p class="empty">
              Choose what B does otherwise. It gets the same requests at the same instants, keeps step with A, and each
              request is compared with itself.
            </p>
          }
        >
          {(b) => (
            <>
              <div class="compare-head">
                <span>
                  <Key run="a" /> A: this run
                </span>
                <span>
                  <Key run="b" /> B: {b().name}
                </span>
                <span class="grow" />
                <span class="s">{state(comparing, app)}</span>
                <fieldset class="seg" aria-label="What of both runs is shown">
                  <For each={SHOWN}>
                    {(name) => (
                      <button type="button" aria-pressed={shown() === name} onClick={() => setShown(name)}>
                        {name}
                      </button>
                    )}
                  </For>
                </fieldset>
                <button type="button" class="btn box" onClick={() => app.toEnd()}>
                  Run both to the end
                </button>
              </div>
              <Show when={shown() === 'Stages'}>
                <Suspense>
                  <Dynamic component={props.stages} app={app} frames={comparing.frames()} nameOfB={b().name} />
                </Suspense>
              </Show>
              <Show when={comparing.seeds()?.comparison}>
                <p class="say compare-of-seeds">
                  Key figures over {comparing.seeds()?.progress.of} seeds, both runs to the end; charts and requests are
                  of the runs on screen.
                </p>
              </Show>
              <CompareFigures comparison={comparing.seeds()?.comparison ?? comparing.result()?.comparison} />
              <CompareRegret comparison={comparing.seeds()?.comparison} />
              <NoOracle why={comparing.seeds()?.noOracle} />
              <Show when={shown() === 'Charts'}>
                <CompareCharts
                  comparison={comparing.result()?.comparison}
                  charts={comparing.charts()}
                  onPair={comparing.openPair}
                  runs={async () => {
                    const [a, b] = await Promise.all([app.outcomes(), comparing.outcomes()]);
                    return (
                      b && [
                        { document: app.document(), outcomes: a },
                        { document: comparing.beside()?.document ?? app.document(), outcomes: b },
                      ]
                    );
                  }}
                />
              </Show>
            </>
          )}
        </Show>
      </div>
      <div class="compare-side compare-right">
        <CompareTables
          comparison={comparing.result()?.comparison}
          pair={comparing.pair()}
          onPair={comparing.openPair}
        />
      </div>
    </>
  );
  return (
    <main
      class="overlay compare"
      classList={{
        races: study() !== 'Two runs',
        'with-stages': shown() === 'Stages' && comparing.beside() !== undefined,
      }}
      aria-label="Compare with B"
      tabindex="-1"
      ref={host}
    >
      <div class="bar">
        <fieldset class="seg" aria-label="What is compared">
          <For each={STUDIES}>
            {(name) => (
              <button type="button" aria-pressed={study() === name} onClick={() => setStudy(name)}>
                {name}
              </button>
            )}
          </For>
        </fieldset>
        <span class="grow" />
        <button type="button" class="btn sq" aria-label="Close" onClick={() => app.setComparing(false)}>
          <Icon name="close" />
        </button>
      </div>
      <Show when={study() !== 'Two runs'} fallback={twoRuns()}>
        <Suspense>
          <Show when={study() === 'Race'} fallback={<Sweep app={app} />}>
            <Race app={app} onB={raceAsB} />
          </Show>
        </Suspense>
      </Show>
    </main>
  );
}

function state(comparing: ReturnType<typeof createComparing>, app: App): string {
  const [now, b] = [app.frame()?.now_us ?? 0, comparing.atUs() ?? 0];
  const found = comparing.result();
  if (found?.atUs === now) return `compared up to ${clock(now)} s`;
  if (b < now) return `B is at ${clock(b)} s`;
  return app.mode() === 'paused' ? 'comparing …' : 'pause to compare request by request';
}

/** How a run is drawn: A solid, B dashed. */
function Key(props: { run: 'a' | 'b' }): JSX.Element {
  return (
    <svg class="compare-key" width="22" height="8" viewBox="0 0 22 8" aria-hidden="true">
      <path class={`line ${props.run}`} d="M1 4h20" />
    </svg>
  );
}

/** What can run as B: another router, another run of the list, or a link. */
function Chooser(props: { app: App; choose: (next: Beside) => void }): JSX.Element {
  const app = props.app;
  const [from, setFrom] = createSignal<From>('start');
  const [wrong, setWrong] = createSignal(false);
  const routing = createMemo(() => getAt(app.document(), ROUTING));
  const options = createMemo(() => {
    const field = fieldAt(app.schema, app.document(), ROUTING);
    const all = field?.input.kind === 'choice' ? field.input.options : [];
    return all.filter((option) => option.label !== choiceText(routing(), field));
  });
  const nowUs = (): number => app.frame()?.now_us ?? 0;
  const begun = (value: Json): Json =>
    from() === 'start'
      ? setAt(app.document(), ROUTING, value)
      : withEditAt(app.document(), nowUs(), { [ROUTING]: value });
  const others = () => app.namedRuns().all.filter((run) => run.id !== app.namedRuns().shown);
  /** Edits in force: B without one is the run before it went on. */
  const edits = () => app.listed().filter((edit) => !edit.off);
  const named = ({ atUs, edit }: ListedEdit): string => {
    const paths = [...Object.keys(edit.set ?? {}), ...Object.keys(edit.add ?? {})];
    return `${clock(atUs)} s: ${paths.map((path) => pathName(app.schema, app.document(), path)).join(', ')}`;
  };
  const openLink = async (text: string): Promise<void> => {
    setWrong(text !== '' && !isLinkText(text));
    if (!isLinkText(text)) return;
    const { scenario, preset } = await app.links.read(text);
    props.choose({ name: preset === '' ? 'a link' : `link of ${preset}`, document: readDocument(scenario) });
  };
  return (
    <div class="compare-chooser">
      <label>
        Router of B
        <select
          class="in"
          onChange={(event) => {
            const option = options().find((o) => o.tag === event.currentTarget.value);
            if (option) props.choose({ name: option.label, document: begun(option.value) });
          }}
        >
          <option value="">choose …</option>
          <For each={options()}>{(option) => <option value={option.tag}>{option.label}</option>}</For>
        </select>
      </label>
      <fieldset class="seg" aria-label="From when on B differs">
        <button type="button" aria-pressed={from() === 'start'} onClick={() => setFrom('start')}>
          from the start
        </button>
        <button type="button" aria-pressed={from() === 'playhead'} onClick={() => setFrom('playhead')}>
          from the playhead
        </button>
      </fieldset>
      <Show when={others().length > 0}>
        <label>
          Another run of the list
          <select
            class="in"
            onChange={(event) => {
              const run = others().find((r) => r.id === Number(event.currentTarget.value));
              if (run) props.choose({ name: run.name, document: run.document });
            }}
          >
            <option value="">choose …</option>
            <For each={others()}>{(run) => <option value={run.id}>{run.name}</option>}</For>
          </select>
        </label>
      </Show>
      <Show when={edits().length > 0}>
        <label>
          Without an edit
          <select
            class="in"
            onChange={(event) => {
              const edit = edits().find((e) => e.index === Number(event.currentTarget.value));
              if (!edit) return;
              const document = withoutEdit(app.document(), edit.index);
              props.choose({ name: `without the edit at ${clock(edit.atUs)} s`, document });
            }}
          >
            <option value="">choose …</option>
            <For each={edits()}>{(edit) => <option value={edit.index}>{named(edit)}</option>}</For>
          </select>
        </label>
      </Show>
      <label>
        A link
        <input
          class="in"
          type="text"
          placeholder="#chat-4xh100;cluster.routing=random"
          aria-invalid={wrong()}
          onChange={(event) => void openLink(event.currentTarget.value.trim())}
        />
      </label>
      <p class="compare-trouble" role="alert">
        {wrong() ? 'No link: a link holds a #, and no spaces.' : ''}
      </p>
    </div>
  );
}

/** The document with values that it has from an instant on. */
function withEditAt(document: Json, atUs: number, set: Readonly<Record<string, Json>>): Json {
  if (atUs === 0) return withEdit(document, { set });
  const edits = getAt(document, 'edits');
  const all = [...(Array.isArray(edits) ? edits : []), { at_us: atUs, set }];
  return setAt(document, 'edits', all);
}

/** The same comparison over several seeds: how sure a difference is that one run shows. */
function Seeds(props: { comparing: Comparing }): JSX.Element {
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
                {s().progress.done} of {s().progress.of} · {text(durationMs(s().progress.tookMs))}
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

/** In what B differs from A. */
function Differs(props: { app: App; b: Beside }): JSX.Element {
  const listed = createMemo(() => changes(props.app.document(), props.b.document));
  /** Requests that B sends elsewhere. */
  const sent = createMemo(() => {
    const [inA, inB] = [props.app.document(), props.b.document].map((of) =>
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
          {edits(props.b.document) === edits(props.app.document())
            ? ''
            : `edits: ${edits(props.app.document())} in A, ${edits(props.b.document)} in B`}
        </span>
      </div>
      <ul class="compare-differs">
        <For each={listed().slice(0, 20)}>
          {(change) => (
            <li>
              <span>{pathName(props.app.schema, props.b.document, change.path)}</span>
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
        <Show when={listed().length + sent().length === 0 && edits(props.b.document) === edits(props.app.document())}>
          <li class="s">nothing: B is the same run</li>
        </Show>
      </ul>
    </div>
  );
}

function said(app: App, path: string, value: Json | undefined): string {
  const field = fieldAt(app.schema, app.document(), path);
  if (field?.input.kind === 'choice' && value !== undefined) return choiceText(value, field);
  return typeof value === 'object' && value !== null ? choiceText(value) : plainText(value) || 'default';
}

function Pairing(props: { comparison: RunComparison }): JSX.Element {
  const c = (): RunComparison => props.comparison;
  return (
    <div class="blk">
      <div class="blk-head">
        <h2>Pairing</h2>
        <span class="m">{c().paired ? 'request by request' : 'distributions only'}</span>
      </div>
      <Show when={c().not_paired}>{(why) => <p class="say">{sentence(why())}</p>}</Show>
      <dl class="compare-pairing">
        <dt>Requests compared</dt>
        <dd>{count(c().requests)}</dd>
        <dt>Workload digest</dt>
        <dd>
          <code>{c().a.workload_digest.slice(0, 8)}</code>
        </dd>
        <dt>Refused, dropped, unfinished</dt>
        <dd>
          {lost(c().a)} → {lost(c().b)}
        </dd>
      </dl>
      <p class="say">{c().explained}.</p>
      <For each={c().notices}>{(notice) => <p class="say">{notice}.</p>}</For>
    </div>
  );
}

function lost({ refused, dropped, unfinished }: RunComparison['a']): string {
  return `${count(refused)}, ${count(dropped)}, ${count(unfinished)}`;
}
