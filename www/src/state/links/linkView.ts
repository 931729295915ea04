// The parts of a link's view that are drawn over the run: the selected span, the law of theory, the choice of
// charts, and the close-up with its settings.

import type { LatencyBox, LinkView } from '../../generated/boundary.ts';
import { chartList } from '../view/chartList.ts';
import { area, blockColour, boxes, measure, openReplica, tall, timeWindow } from '../view/closeup.ts';
import { span } from '../view/span.ts';
import { spanShown } from '../view/spanShown.ts';
import { BEST_LAW, theoryLaw } from '../view/theoryLaw.ts';

/** A view that says nothing. */
export const NO_VIEW: LinkView = {
  ...{ at_us: null, speed: null, selection: null, panel: null },
  ...{ span: null, theory: null, charts: [], closeup: [], result: null, study: null },
};

/** Most boxes of the heat map in a link. */
export const MOST_BOXES = 4;
const US = 1e6;

const text = (seconds: number): string => String(Number(seconds.toFixed(6)));

/** What is drawn over the run on screen. */
export function drawn(): Pick<LinkView, 'span' | 'theory' | 'charts' | 'closeup'> {
  const selected = spanShown() ? span() : undefined;
  const us = (s: number): number => Math.round(s * US);
  const law = theoryLaw();
  return {
    span:
      selected && us(selected.fromS) < us(selected.toS)
        ? { from_us: us(selected.fromS), to_us: us(selected.toS) }
        : null,
    theory: law === undefined ? null : law === '' ? BEST_LAW : law,
    charts: [...(chartList() ?? [])],
    closeup: closeupWords(),
  };
}

/** The view of the charts' area and its settings, as links have them; none for the charts as they open. */
export function closeupWords(): string[] {
  const [within, replica] = [timeWindow(), openReplica()];
  const settings = [
    // A close-up has the height unless the stage was brought back; the charts share it.
    ...(tall() === (area() !== 'charts') ? [] : [tall() ? 'tall' : 'stage']),
    ...(within ? [`window:${text(within.fromS)}-${text(within.toS)}`] : []),
    ...(replica === undefined ? [] : [`replica:${replica}`]),
    ...(blockColour() === 'owner' ? [] : [`colour:${blockColour()}`]),
    ...(measure() === 'ttft' ? [] : [`measure:${measure()}`]),
    ...boxes().slice(0, MOST_BOXES).map(boxText),
  ];
  return area() === 'charts' && settings.length === 0 ? [] : [area(), ...settings];
}

function boxText({ of, from_us, to_us, least_us, most_us }: LatencyBox): string {
  return `box:${of}:${Math.round(from_us)}-${Math.round(to_us)}:${Math.round(least_us)}-${Math.round(most_us)}`;
}
