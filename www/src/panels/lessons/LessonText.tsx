// The text of a step: paragraphs with bold words, words of the glossary and figures.
import { For, type JSX, Match, Switch } from 'solid-js';
import { figureSaid, type LessonPart, paragraphsOf } from '../../base/lessonText.ts';
import { DASH, type Quantity } from '../../base/units.ts';
import { Q } from '../../draw/glyphs.tsx';
import type { LessonFigure } from '../../generated/boundary.ts';

export type Figures = {
  readonly all: Readonly<Record<string, LessonFigure>>;
  /** The value of a figure by name; missing until it is known. */
  readonly value: (name: string) => number | null | undefined;
};

export function LessonText(props: { text: string; figures?: Figures }): JSX.Element {
  return <For each={paragraphsOf(props.text)}>{(parts) => <p>{spans(parts, () => props.figures)}</p>}</For>;
}

function spans(parts: readonly LessonPart[], figures: () => Figures | undefined): JSX.Element {
  return <For each={parts}>{(part) => <Part part={part} figures={figures} />}</For>;
}

function Part(props: { part: LessonPart; figures: () => Figures | undefined }): JSX.Element {
  const of = <K extends LessonPart['kind']>(kind: K) =>
    props.part.kind === kind ? (props.part as Extract<LessonPart, { kind: K }>) : undefined;
  const said = (name: string): Quantity => {
    const figure = props.figures()?.all[name];
    return figure ? figureSaid(props.figures()?.value(name), figure.unit) : { value: DASH, unit: '' };
  };
  return (
    <Switch>
      <Match when={of('words')}>{(words) => words().text}</Match>
      <Match when={of('bold')}>{(bold) => <b>{spans(bold().parts, props.figures)}</b>}</Match>
      <Match when={of('term')}>
        {(term) => (
          <button type="button" class="term" data-term={term().name}>
            {term().text}
          </button>
        )}
      </Match>
      <Match when={of('figure')}>
        {(figure) => (
          <span class="lesson-figure" title={props.figures()?.all[figure().name]?.label}>
            <Q q={said(figure().name)} />
          </span>
        )}
      </Match>
    </Switch>
  );
}
