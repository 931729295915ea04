// The field of an expression. Errors are shown in place while it is typed, and a list below offers completions. Both
// come from the core. Enter or leaving the field makes the edit if the text is valid.
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, on, onCleanup, Show } from 'solid-js';
import type { Json } from '../../base/json.ts';
import type { Completion, ExpressionProblem, ExpressionReading } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import './expression.css';

/** Completions in the list, as many as fit below the field. */
const MOST_WORDS = 8;
const NOTHING: ExpressionReading = { problems: [], from: 0, words: [] };

export default function ExpressionField(props: {
  app: Pick<App, 'links'>;
  id: string;
  value: Json | undefined;
  onSet: (value: Json) => Promise<boolean>;
}): JSX.Element {
  const list = createUniqueId();
  const said = createUniqueId();
  const inForce = (): string => String(props.value ?? '');
  const [text, setText] = createSignal(inForce());
  const [reading, setReading] = createSignal<ExpressionReading>(NOTHING);
  const [shown, setShown] = createSignal(false);
  const [active, setActive] = createSignal(-1);
  let field: HTMLInputElement | undefined;
  let gone = false;
  onCleanup(() => {
    gone = true;
  });

  // The field follows the value in force when that changes elsewhere, such as by undo.
  createEffect(
    on(inForce, (now) => {
      setText(now);
      void read();
    }),
  );
  const words = createMemo((): readonly Completion[] => (shown() ? reading().words.slice(0, MOST_WORDS) : []));
  const caret = (): number => field?.selectionEnd ?? text().length;

  /** Asks the core. Answers for an older text are dropped. */
  async function read(): Promise<ExpressionReading | undefined> {
    const asked = text();
    try {
      const answer = await props.app.links.readExpression(asked, caret());
      if (gone || asked !== text()) return undefined;
      setReading(answer);
      setActive(-1);
      return answer;
    } catch {
      // Without the module, such as without a network, the edit itself reports the error.
      return gone || asked !== text() ? undefined : NOTHING;
    }
  }
  const typed = async (next: string): Promise<void> => {
    setText(next);
    const answer = await read();
    const word = answer ? next.slice(answer.from, caret()) : '';
    setShown(word !== '' && answer?.words.some((w) => w.text !== word) === true);
  };
  const ask = async (): Promise<void> => {
    const answer = await read();
    setShown((answer?.words.length ?? 0) > 0);
  };
  const take = async (word: Completion | undefined): Promise<void> => {
    if (!word || !field) return;
    const from = reading().from;
    const next = text().slice(0, from) + word.text + text().slice(caret());
    setText(next);
    setShown(false);
    field.value = next;
    field.focus();
    field.setSelectionRange(from + word.text.length, from + word.text.length);
    await read();
  };
  const commit = async (): Promise<void> => {
    setShown(false);
    const next = text();
    if (next === inForce()) return;
    const answer = await read();
    if (answer?.problems.length === 0) await props.onSet(next);
  };
  const pressed = (event: KeyboardEvent): void => {
    const count = words().length;
    const way = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (way !== 0) {
      event.preventDefault();
      if (count === 0) void ask();
      else setActive((now) => (now < 0 && way < 0 ? count - 1 : (now + way + count) % count));
      return;
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (active() >= 0) void take(words()[active()]);
      else void commit();
    } else if (event.key === 'Escape' && (count > 0 || text() !== inForce())) {
      event.preventDefault();
      event.stopPropagation();
      if (count > 0) setShown(false);
      else void typed(inForce());
    }
  };
  return (
    <div class="expression">
      <input
        ref={(element) => {
          field = element;
        }}
        id={props.id}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-expanded={words().length > 0}
        aria-controls={list}
        aria-activedescendant={active() >= 0 ? `${list}-${active()}` : undefined}
        aria-invalid={reading().problems.length > 0}
        aria-describedby={said}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={text()}
        data-value={inForce()}
        onInput={(event) => void typed(event.currentTarget.value)}
        onKeyDown={pressed}
        onBlur={() => void commit()}
      />
      <Words id={list} words={words()} active={active()} onTake={(word) => void take(word)} />
      <Show when={reading().problems.length > 0}>
        <Marked text={text()} problems={reading().problems} />
      </Show>
      <div role="status" id={said}>
        <Show when={reading().problems.length > 0}>
          <Problems list={reading().problems} />
        </Show>
      </div>
    </div>
  );
}

/** The completions at the caret. */
function Words(props: {
  id: string;
  words: readonly Completion[];
  /** The completion selected with the keyboard; -1 for none. */
  active: number;
  onTake: (word: Completion) => void;
}): JSX.Element {
  return (
    <div
      class="words"
      role="listbox"
      id={props.id}
      tabIndex={-1}
      aria-label="Completions"
      hidden={props.words.length === 0}
    >
      <For each={props.words}>
        {(word, i) => (
          // The focus stays in the field, whose arrow keys move through the list.
          <div
            role="option"
            id={`${props.id}-${i()}`}
            tabIndex={-1}
            aria-selected={props.active === i()}
            onPointerDown={(event) => {
              event.preventDefault();
              props.onTake(word);
            }}
          >
            <code>{word.text}</code>
            <span class="m">{word.help}</span>
          </div>
        )}
      </For>
    </div>
  );
}

/** The error in the text, and what is allowed there. */
function Problems(props: { list: readonly ExpressionProblem[] }): JSX.Element {
  return (
    <ul class="problems">
      <For each={props.list}>
        {(p) => (
          <li>
            Found {p.found}; {p.fix}
            <details>
              <summary>Allowed here</summary>
              {p.allowed}
            </details>
          </li>
        )}
      </For>
    </ul>
  );
}

/** The text with its error marked; an error at the end has a mark of its own. */
function Marked(props: { text: string; problems: readonly ExpressionProblem[] }): JSX.Element {
  const pieces = createMemo(() => {
    const all: { text: string; wrong: boolean }[] = [];
    let at = 0;
    for (const { start, end } of props.problems) {
      if (start < at) continue;
      all.push({ text: props.text.slice(at, start), wrong: false });
      all.push({ text: props.text.slice(start, end) || '\u00a0', wrong: true });
      at = end;
    }
    all.push({ text: props.text.slice(at), wrong: false });
    return all;
  });
  return (
    <code class="marked" aria-hidden="true">
      <For each={pieces()}>{(piece) => (piece.wrong ? <mark>{piece.text}</mark> : piece.text)}</For>
    </code>
  );
}
