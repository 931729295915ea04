// The claims of a step, checked by the engine over seeds: each with its values on an axis, the bound that it promises, and in how
// many seeds it held.
import { createMemo, For, type JSX, Show } from 'solid-js';
import { inUnit, unitText } from '../../../base/lessonUnits.ts';
import { text } from '../../../base/units.ts';
import type { ClaimVerdict, LessonClaim } from '../../../generated/boundary.ts';
import { lesson, lessonStep } from '../../../state/lessons/lesson.ts';
import { isRevealed } from '../../../state/lessons/lessonGuess.ts';
import { stepRuns } from '../../../state/lessons/lessonRuns.ts';
import { apart, boundWords, WIDTH } from './claimWords.ts';
import { claimAxis, scaleOf } from './guessScale.ts';
import { progressText, RunsWords } from './RunsWords.tsx';
import './questions.css';

/** How a claim stands: it may hold, it holds, or it does not. */
type Standing = 'running' | 'held' | 'failed';

function standingOf({ found, seeds, of }: ClaimProps): Standing {
  if (!found || seeds < of) return 'running';
  return found.holds ? 'held' : 'failed';
}

/** ✓ it holds, ▲ it does not, a dashed ring while it runs. */
function StandingSign(props: { readonly standing: Standing }): JSX.Element {
  return (
    <svg class={`standing ${props.standing}`} width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <Show when={props.standing === 'failed'} fallback={<circle cx="10" cy="10" r="8.500" />}>
        <path d="M10 2l8.500 15h-17zM10 8v4.500M10 14.500v.5" />
      </Show>
      <Show when={props.standing === 'held'}>
        <path d="M6 10.300l3 3 5.500-6" />
      </Show>
    </svg>
  );
}

export type EvidenceProps = {
  readonly claims: readonly LessonClaim[];
  readonly verdicts: readonly ClaimVerdict[];
  /** How many seeds have run, and how many there are. */
  readonly seeds: number;
  readonly of: number;
};

export default function Evidence(props: EvidenceProps): JSX.Element {
  /** Claims of a step with a question would give its answer away. */
  const shown = (): boolean => {
    const asks = lesson()?.read.lesson.steps[lessonStep()]?.ask;
    return props.claims.length > 0 && (!asks || isRevealed(lessonStep()));
  };
  return (
    <Show when={shown()}>
      <section class="evidence" aria-label="Checked by the engine">
        <For each={props.claims}>
          {(claim, i) => <Claim claim={claim} found={props.verdicts[i()]} seeds={props.seeds} of={props.of} />}
        </For>
      </section>
    </Show>
  );
}

type ClaimProps = {
  readonly claim: LessonClaim;
  readonly found: ClaimVerdict | undefined;
  readonly seeds: number;
  readonly of: number;
};

function Claim(props: ClaimProps): JSX.Element {
  const standing = (): Standing => standingOf(props);
  const trouble = (): string => stepRuns()[lessonStep()]?.trouble ?? '';
  const title = (): string =>
    ({ running: 'The engine checks', held: 'Checked by the engine', failed: 'Not as the lesson says' })[standing()];
  return (
    <article class={`evidence-card ${standing()}`}>
      <StandingSign standing={standing()} />
      <h3>{title()}</h3>
      <span class="evidence-seeds" role="status">
        {standing() === 'failed'
          ? `held in ${props.found?.held ?? 0} of ${props.of} seeds`
          : standing() === 'held' && props.found && props.found.held < props.of
            ? `held in ${props.found.held} of ${props.of} seeds`
            : progressText(props)}
      </span>
      <p>{props.claim.says}</p>
      <Show when={props.found && props.found.value.mean !== null && props.found}>
        {(found) => <ClaimPicture claim={props.claim} found={found()} running={standing() === 'running'} />}
      </Show>
      <Show when={standing() === 'failed'}>
        <p class="evidence-note">
          It must hold in {props.found?.needed ?? 0}. Worst: seed {(props.found?.worst ?? 0) + 1}, missed by{' '}
          {missedText(props.found, props.claim.unit)}. The lesson goes on.
        </p>
      </Show>
      <Show when={trouble()}>
        <p class="evidence-note">
          <RunsWords runs={stepRuns()[lessonStep()]} seeds={props.seeds} of={props.of} step={lessonStep()} />
        </p>
      </Show>
    </article>
  );
}

/** A missing value misses by more than any number. */
function missedText(found: ClaimVerdict | undefined, unit: string): string {
  if (!found || found.missed_by > 1e300) return 'a missing value';
  return unitText(found.missed_by, unit);
}

/** The picture: a tick a seed, the bar of 95 %, the mean, and the bounds as dashed lines. */
function ClaimPicture(props: {
  readonly claim: LessonClaim;
  readonly found: ClaimVerdict;
  readonly running: boolean;
}): JSX.Element {
  const value = () => props.found.value;
  const bounds = createMemo(() => [props.claim.above, props.claim.below].flatMap((bound) => bound ?? []));
  const axis = createMemo(() => claimAxis([...value().values, value().lo, value().hi], bounds()));
  const scale = createMemo(() => scaleOf({ ...axis(), log: false }, 6, WIDTH - 6));
  const at = (v: number): number => Math.min(WIDTH - 2, Math.max(2, scale().at(v)));
  const mean = (): number => value().mean ?? 0;
  const words = (): string =>
    `${props.claim.says}: mean ${unitText(mean(), props.claim.unit)}, ${boundWords(props.claim)}, ` +
    `held in ${props.found.held} seeds of those that have run`;
  const q = () => inUnit(mean(), props.claim.unit);
  /** Both words stand below their marks, and never on each other. */
  const labels = createMemo(() => apart(at(mean()), text(q()), at(bounds()[0] ?? mean()), boundWords(props.claim)));
  /** The ends of the axis, where there is room beside the words. */
  const ends = createMemo(() => {
    const { from, to } = axis();
    const { low, high } = labels();
    return [
      ...(low > 44 ? [{ x: 6, anchor: 'start', value: from } as const] : []),
      ...(high < WIDTH - 44 ? [{ x: WIDTH - 6, anchor: 'end', value: to } as const] : []),
    ];
  });
  return (
    <svg
      class="evidence-picture"
      classList={{ running: props.running }}
      viewBox={`0 0 ${WIDTH} 46`}
      role="img"
      aria-label={words()}
    >
      <path class="evidence-axis" d={`M6 14.500H${WIDTH - 6}`} />
      <For each={bounds()}>{(bound) => <path class="evidence-bound" d={`M${at(bound)} 2V26`} />}</For>
      <Show when={value().lo !== null && value().hi !== null}>
        <rect
          class="evidence-bar"
          x={at(value().lo ?? 0)}
          y="8"
          width={Math.max(2, at(value().hi ?? 0) - at(value().lo ?? 0))}
          height="6"
        />
      </Show>
      <path class="evidence-mean" d={`M${at(mean())} 5V17`} />
      <For each={value().values}>
        {(v) => (
          <Show when={v !== null}>
            <path class="evidence-tick" d={`M${at(v ?? 0)} 18v7`} />
          </Show>
        )}
      </For>
      <For each={ends()}>
        {({ x, anchor, value: end }) => (
          <text x={x} y="40" text-anchor={anchor}>
            {unitText(end, props.claim.unit)}
          </text>
        )}
      </For>
      <text x={labels().bound} y="40" text-anchor="middle">
        {boundWords(props.claim)}
      </text>
      <text class="evidence-value" x={labels().mean} y="40" text-anchor="middle">
        {text(q())}
      </text>
    </svg>
  );
}
