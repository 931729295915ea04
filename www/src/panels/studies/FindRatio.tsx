// Find the ratio: the capacity with each ratio of prefill to decode replicas at equal GPUs, and the best one as an edit.
// Loaded when it is opened.

import { createSignal, For, type JSX, Show } from 'solid-js';
import { count, durationMs, percent, text } from '../../base/units.ts';
import type { RatioCase, RatioResult } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { changeRoles } from '../../state/edits/changeRoles.ts';
import { dividable } from '../../state/edits/roles.ts';
import type { Progress } from '../../state/studies/manyRuns.ts';
import { createRatioSearch } from '../../state/studies/ratio.ts';
import { Sheet } from '../parts/Sheet.tsx';
import { TrustChip } from '../parts/Trust.tsx';
import { RatioChart } from './RatioChart.tsx';
import { RatioTable } from './RatioTable.tsx';
import { SeedCount } from './SeedCount.tsx';
import './race.css';
import './findRatio.css';

const SHARES = [0.9, 0.95, 0.99];

type Page = Pick<App, 'document' | 'links' | 'dialogs'>;

export default function FindRatio(props: { app: Page }): JSX.Element {
  const close = (): void => void props.app.dialogs.setFinding(false);
  const search = createRatioSearch();
  const [seeds, setSeeds] = createSignal(3);
  const [share, setShare] = createSignal(0.9);
  const use = async ({ prefill, decode }: RatioCase): Promise<void> => {
    const pool = dividable(props.app.document.inForce());
    const asked = pool === undefined ? { ratio: { prefill, decode } } : { pool: { pool, prefill } };
    if (await changeRoles(props.app, asked)) close();
  };
  return (
    <Sheet open large onClose={close} title="Find the ratio" aside="prefill to decode replicas, at equal GPUs">
      <div class="find-ratio">
        <p class="say">
          The capacity with each ratio: the highest arrival rate at which enough requests meet the objectives. Every
          ratio gets the same requests, in the scenario as it is now, without its edits.
        </p>
        <div class="find-ratio-asked">
          <label>
            Required share
            <select class="in" value={share()} onChange={(event) => setShare(Number(event.currentTarget.value))}>
              <For each={SHARES}>{(s) => <option value={s}>{text(percent(s))}</option>}</For>
            </select>
          </label>
          <SeedCount seeds={seeds()} onSeeds={setSeeds} />
          <Show
            when={search.running()}
            fallback={
              <button
                type="button"
                class="btn pri"
                onClick={() => void search.find(props.app.document.inForce(), seeds(), share())}
              >
                Find the ratio
              </button>
            }
          >
            <button type="button" class="btn box" onClick={search.stop}>
              Cancel
            </button>
          </Show>
          <Show when={search.progress()}>{(p) => <Reached progress={p()} running={search.running()} />}</Show>
        </div>
        <p class="compare-trouble" role="alert">
          {search.trouble()}
        </p>
        <Show when={search.result()}>
          {(found) => <Found found={found()} running={search.running()} onUse={(row) => void use(row)} />}
        </Show>
      </div>
    </Sheet>
  );
}

function Reached(props: { progress: Progress; running: boolean }): JSX.Element {
  return (
    <span class="m" role="status">
      <progress aria-label="Searches done" max={props.progress.of} value={props.progress.done} />{' '}
      {count(props.progress.done)} of {count(props.progress.of)} searches · {text(durationMs(props.progress.tookMs))}
      {!props.running && props.progress.done < props.progress.of ? ' · cancelled' : ''}
    </span>
  );
}

function Found(props: { found: RatioResult; running: boolean; onUse: (row: RatioCase) => void }): JSX.Element {
  const best = () => (props.found.best === null ? undefined : props.found.rows[props.found.best]);
  return (
    <>
      <div class="find-ratio-best" role="status">
        <p class="sweep-found">{props.found.text}</p>
        <Show when={!props.running && best()}>
          {(row) => (
            <button type="button" class="btn pri" onClick={() => props.onUse(row().case)}>
              Use {row().case.ratio.replace(':', ' : ')}
            </button>
          )}
        </Show>
      </div>
      <RatioChart found={props.found} />
      <RatioTable found={props.found} onUse={props.onUse} />
      <Show when={props.found.left_out > 0}>
        <p class="say">
          {count(props.found.left_out)} ratios were not tried, because there are too many. The command line tries those
          it is given: tokenyard capacity --vary-ratio.
        </p>
      </Show>
      <TrustChip pools={props.found.evidence} />
    </>
  );
}
