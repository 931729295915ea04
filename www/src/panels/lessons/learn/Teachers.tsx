// For teachers: how lessons are shown, and links and frames of single steps.
import { createSignal, For, type JSX, Show } from 'solid-js';
import type { LessonCard } from '../../../generated/boundary.ts';
import { hideAnswers, projector, setHideAnswers, setProjector } from '../../../state/lessons/lesson.ts';
import { shortTitle } from './learnWords.ts';

/** The size of a frame, in pixels. */
const FRAME = { width: 960, height: 600 };

export function Teachers(props: { cards: readonly LessonCard[]; first: string | undefined }): JSX.Element {
  const [name, setName] = createSignal<string>();
  const [step, setStep] = createSignal(1);
  const [status, setStatus] = createSignal('');
  const card = (): LessonCard | undefined =>
    props.cards.find((one) => one.name === (name() ?? props.first)) ?? props.cards[0];
  const link = (): string => `lesson=${card()?.name ?? ''};step=${step()}`;
  const page = (): string => {
    const { origin, pathname } = location;
    return `${origin}${pathname}`;
  };
  const frame = (): string => {
    const title = (card()?.title ?? '').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
    return `<iframe src="${page()}#embed;${link()}" width="${FRAME.width}" height="${FRAME.height}" title="${title}"></iframe>`;
  };
  const copy = (text: string, what: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setStatus(`${what} copied.`),
      () => setStatus('The browser did not allow copying: select the link and copy it by hand.'),
    );
  };
  return (
    <section class="learn-part" aria-labelledby="learn-teachers">
      <header>
        <h3 id="learn-teachers">For teachers</h3>
      </header>
      <Switch label="Projector mode, type × 1.5" on={projector()} onSet={setProjector} />
      <Switch label="Hide answers until asked" on={hideAnswers()} onSet={setHideAnswers} />
      <Show when={card()}>
        {(chosen) => (
          <>
            <div class="learn-row">
              <span>Lesson, step</span>
              <span class="grow" />
              <select
                class="in"
                aria-label="Lesson"
                onChange={(event) => {
                  setName(event.currentTarget.value);
                  setStep(1);
                }}
              >
                <For each={props.cards}>
                  {(one) => (
                    <option value={one.name} selected={one.name === chosen().name}>
                      {one.number}: {shortTitle(one.title)}
                    </option>
                  )}
                </For>
              </select>
              <select class="in" aria-label="Step" onChange={(event) => setStep(Number(event.currentTarget.value))}>
                <For each={chosen().steps}>
                  {(_, i) => (
                    <option value={i() + 1} selected={i() + 1 === step()}>
                      {i() + 1} of {chosen().steps.length}
                    </option>
                  )}
                </For>
              </select>
            </div>
            <input
              class="in learn-link"
              readonly
              aria-label="Link to this step"
              value={`${page()}#${link()}`}
              onFocus={(event) => event.currentTarget.select()}
            />
            <div class="learn-row">
              <button type="button" class="btn box" onClick={() => copy(`${page()}#${link()}`, 'Link')}>
                Copy link
              </button>
              <button
                type="button"
                class="btn"
                title="The code of a frame with this step, for a blog"
                onClick={() => copy(frame(), 'Code of a frame')}
              >
                Copy frame
              </button>
            </div>
          </>
        )}
      </Show>
      <p class="s" role="status">
        {status()}
      </p>
    </section>
  );
}

function Switch(props: { label: string; on: boolean; onSet: (on: boolean) => void }): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class="learn-switch"
      aria-checked={props.on}
      onClick={() => props.onSet(!props.on)}
    >
      {props.label}
      <span class="grow" />
      <i aria-hidden="true" />
    </button>
  );
}
