// The text of a step: paragraphs with bold words, words of the glossary and figures.
import { For, type JSX, Match, Switch } from 'solid-js';
import { figureSaid, type LessonPart, paragraphsOf, unknownSaid } from '../../base/lessonText.ts';
import { DASH, type Quantity } from '../../base/units.ts';
import { Q } from '../../draw/glyphs.tsx';
import type { LessonFigure } from '../../generated/boundary.ts';

export type Figures = {
  readonly all: Readonly<Record<string, LessonFigure>>;
  /** The value of a figure by name; missing until it is known. */
  readonly value: (name: string) => number | null | undefined;
};

export function LessonText(props: { text: string; figures?: Figures }): JSX.Element {
  return <For each={paragraphsOf(props.text)}>{(parts) => <p>{spans(parts, parts, () => props.figures)}</p>}</For>;
}

function spans(
  parts: readonly LessonPart[],
  paragraph: readonly LessonPart[],
  figures: () => Figures | undefined,
): JSX.Element {
  return <For each={parts}>{(part) => <Part part={part} paragraph={paragraph} figures={figures} />}</For>;
}

function Part(props: {
  part: LessonPart;
  paragraph: readonly LessonPart[];
  figures: () => Figures | undefined;
}): JSX.Element {
  const of = <K extends LessonPart['kind']>(kind: K) =>
    props.part.kind === kind ? (props.part as Extract<LessonPart, { kind: K }>) : undefined;
  const said = (name: string): Quantity => {
    const figures = props.figures();
    const figure = figures?.all[name];
    // `null` is a value that is missing; one that is not there yet is undefined.
    const isKnown = (of: string): boolean => figures?.value(of) !== undefined;
    if (figure && !isKnown(name)) return { value: unknownSaid(name, props.paragraph, isKnown), unit: '' };
    return figure ? figureSaid(props.figures()?.value(name), figure.unit) : { value: DASH, unit: '' };
  };
  return (
    <Switch>
      <Match when={of('words')}>{(words) => words().text}</Match>
      <Match when={of('bold')}>{(bold) => <b>{spans(bold().parts, props.paragraph, props.figures)}</b>}</Match>
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
