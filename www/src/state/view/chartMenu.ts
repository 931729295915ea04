// The tools of the charts, asked for at the title of one of them or by the list of commands. A separate file, because their code is
// loaded only then.
import { createSignal } from 'solid-js';

/** The list of tools, or one that has a page of its own. */
export type ChartMenuPart = 'tools' | 'choose' | 'save';

/** What was asked for; without a button it opens over the charts. */
export type ChartMenuAsked = {
  readonly title?: string;
  readonly onTable?: () => void;
  readonly button?: HTMLElement;
  readonly part: ChartMenuPart;
};

const [chartMenu, setChartMenu] = createSignal<ChartMenuAsked>();

export { chartMenu, setChartMenu };

/** Opens the tools at a chart's button, or closes them where that button has opened them. */
export function askChartTools(asked: Required<Omit<ChartMenuAsked, 'part'>>): void {
  setChartMenu((now) => (now?.button === asked.button ? undefined : { ...asked, part: 'tools' }));
}
