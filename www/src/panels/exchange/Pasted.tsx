// The left side of the dialog of imports: the texts as they were pasted, with what became of their keys. Each text is a
// field over its own drawing, so that it can be changed where it stands.
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { Icon } from '../../draw/glyphs.tsx';
import type { ImportedDocument } from '../../sim/exchangeTypes.ts';
import { explain } from '../../state/notices/notices.ts';
import { EXAMPLES } from './examples.ts';
import type { Importing, Piece } from './importing.ts';
import { keyAt, type Line, linesOf } from './lines.ts';
import { MappingMark } from './marks.tsx';
import { keysSaid } from './words.ts';

export function Pasted(props: { model: Importing }): JSX.Element {
  const model = props.model;
  return (
    <section class="pasted" aria-label="What you pasted">
      <div class="exchange-bar">
        <h3>What you pasted</h3>
        <span class="grow" />
        <span class="m">
          <Show when={model.found()} fallback={model.reading() ? 'Loading the reader…' : ''}>
            {(found) => <>{keysSaid(found().counts)}</>}
          </Show>
        </span>
      </div>
      <div class="pasted-texts">
        <For each={model.pieces()}>{(piece) => <PastedText model={model} piece={piece} />}</For>
        <Show when={model.pieces().length === 0}>
          <Examples model={model} />
        </Show>
        <Problems model={model} />
        <More model={model} />
      </div>
    </section>
  );
}

/** What to begin with while there is no text. */
function Examples(props: { model: Importing }): JSX.Element {
  return (
    <div class="pasted-examples">
      <p class="say">
        Paste or drop the files that describe a fleet: commands and scripts that start servers or routers,
        docker-compose, systemd units, objects of Kubernetes (Deployments, KServe, production stack, Dynamo, AIBrix,
        kthena, autoscalers, Jobs), values of charts, recipes of srt-slurm, configuration files, logs and metrics of
        engines, policy bundles, workloads. Nothing changes before you apply it.
      </p>
      <For each={EXAMPLES}>
        {(example) => (
          <button type="button" class="btn box" onClick={() => props.model.add(example.text, example.name)}>
            {example.title}
          </button>
        )}
      </For>
    </div>
  );
}

/** What keeps the texts from being read; the rest is still mapped. */
function Problems(props: { model: Importing }): JSX.Element {
  const said = (): readonly string[] => {
    const { trouble, found } = props.model;
    const all = (found()?.problems ?? []).map(explain);
    return trouble() === '' ? all : [trouble(), ...all];
  };
  return (
    <Show when={said().length > 0}>
      <ul class="problems" role="alert">
        <For each={said()}>{(line) => <li>{line}</li>}</For>
      </ul>
    </Show>
  );
}

/** The strip for further texts. */
function More(props: { model: Importing }): JSX.Element {
  let strip: HTMLDivElement | undefined;
  /** Typed text goes on in a field of its own. */
  const typed = (field: HTMLTextAreaElement): void => {
    const text = field.value;
    if (text.trim() === '') return;
    field.value = '';
    props.model.add(text);
    const own = strip?.parentElement?.querySelectorAll<HTMLTextAreaElement>('.pasted-field textarea');
    own?.[own.length - 1]?.focus();
    own?.[own.length - 1]?.setSelectionRange(text.length, text.length);
  };
  return (
    <div class="pasted-more" ref={strip}>
      <Icon name="plus" />
      <textarea
        rows="1"
        aria-label="A further text"
        placeholder="Type here, paste or drop more: documents merge, and a key said twice must agree"
        spellcheck={false}
        autocomplete="off"
        onPaste={(event) => {
          event.preventDefault();
          event.stopPropagation();
          const text = event.clipboardData?.getData('text') ?? '';
          if (text.trim() !== '') props.model.add(text);
        }}
        onInput={(event) => typed(event.currentTarget)}
      />
    </div>
  );
}

function PastedText(props: { model: Importing; piece: Piece }): JSX.Element {
  const { model } = props;
  let field: HTMLTextAreaElement | undefined;
  const lines = createMemo(() => linesOf(props.piece.name, props.piece.text(), model.found()));
  /** The first document in it, by its index. */
  const first = (): number => model.found()?.documents.findIndex(({ file }) => file === props.piece.name) ?? -1;
  const head = () => model.found()?.documents[first()];
  const atCaret = (): void => {
    const key = field && keyAt(lines(), field.selectionStart);
    if (key !== undefined) model.select(key);
  };
  /** The key under the pointer: the drawing lies under the field. */
  const atPointer = ({ clientX, clientY }: PointerEvent): void => {
    const under = document.elementsFromPoint(clientX, clientY);
    const key = under.find((el) => el instanceof HTMLElement && el.dataset.key !== undefined);
    if (key instanceof HTMLElement) model.select(Number(key.dataset.key));
  };
  return (
    <div class="pasted-text">
      <DocumentHead
        number={head() ? first() + 1 : undefined}
        title={head()?.title ?? props.piece.name}
        detail={detailOf(head())}
      />
      <div class="pasted-field">
        <div class="pasted-lines" aria-hidden="true">
          <For each={lines()}>{(line) => <PastedLine model={model} line={line} />}</For>
        </div>
        <textarea
          ref={field}
          aria-label={`The text ${props.piece.name}`}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          value={props.piece.text()}
          onInput={(event) => model.change(props.piece, event.currentTarget.value)}
          onPointerMove={atPointer}
          onClick={atCaret}
          onKeyUp={(event) => event.key !== 'Tab' && atCaret()}
          onPaste={(event) => event.stopPropagation()}
        />
      </div>
    </div>
  );
}

const detailOf = (document: ImportedDocument | undefined): string =>
  document?.is_read === false ? `${document.detail} is not read`.trim() : (document?.detail ?? '');

function DocumentHead(props: { number: number | undefined; title: string; detail: string }): JSX.Element {
  return (
    <div class="pasted-head">
      <b>{props.number}</b>
      <b>{props.title}</b>
      <span>{props.detail}</span>
    </div>
  );
}

function PastedLine(props: { model: Importing; line: Line }): JSX.Element {
  const { model } = props;
  const isOn = (): boolean => props.line.parts.some(({ key }) => key !== undefined && key === model.selected());
  const head = () => (props.line.heads === undefined ? undefined : model.found()?.documents[props.line.heads]);
  const [row, setRow] = createSignal<HTMLElement>();
  createEffect(on(isOn, (here) => here && row()?.scrollIntoView({ block: 'nearest' }), { defer: true }));
  return (
    <div class="pasted-line" classList={{ on: isOn(), heads: head() !== undefined }} ref={setRow}>
      <i>{props.line.number}</i>
      <span class="pasted-mark">
        <Show when={props.line.worst}>{(worst) => <MappingMark hidden standing={worst()} />}</Show>
      </span>
      <span class="pasted-words">
        <For each={props.line.parts}>
          {(part) => (
            <span
              class={part.standing ?? ''}
              classList={{ sel: part.key !== undefined && part.key === model.selected() }}
              data-key={part.key}
            >
              {part.text}
            </span>
          )}
        </For>
        {'\u200b'}
      </span>
      <Show when={head()}>
        {(document) => (
          <span class="pasted-next">
            <b>{(props.line.heads ?? 0) + 1}</b> <b>{document().title}</b> {detailOf(document())}
          </span>
        )}
      </Show>
    </div>
  );
}
