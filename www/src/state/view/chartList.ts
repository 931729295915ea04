// Which charts are shown, and in which order: the user's choice, kept in the browser and in links.
import { createSignal } from 'solid-js';
import { CHART_NAMES } from '../../base/chartList.ts';
import type { View } from '../../generated/boundary.ts';

const KEY = 'charts';

function kept(): readonly string[] | undefined {
  try {
    const text = localStorage.getItem(KEY);
    return text === null || text === '' ? undefined : text.split(',').slice(0, CHART_NAMES.length);
  } catch {
    return undefined;
  }
}

/** The names of the charts in order; undefined leaves the choice to the run. */
export const [chartList, setChartList] = createSignal<readonly string[] | undefined>(kept());

/** Chooses charts and keeps the choice in the browser. */
export function keepChartList(list: readonly string[] | undefined): void {
  setChartList(list);
  try {
    if (list) localStorage.setItem(KEY, list.join());
    else localStorage.removeItem(KEY);
  } catch {
    // Storage can be forbidden; the choice then lasts until the page closes.
  }
}

/** The views of the charts on screen; only these are requested. */
export const [shownViews, setShownViews] = createSignal<readonly View[]>([]);
