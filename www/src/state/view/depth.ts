// The way into a run: the cluster, a replica, a step of it, a request, its blocks. One movement: a click or Enter goes deeper, Escape
// one level back, and the inspector shows where one is.
import { createSignal } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import { NOTHING, type Selection } from '../../base/view.ts';
import type { ReplicaFrame } from '../../generated/boundary.ts';
import type { App } from '../app.ts';
import { type Area, area, chosenStep, setArea, setChosenBlock, setChosenStep, setOpenReplica } from './closeup.ts';

export type Level =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'replica'; readonly replica: number }
  | { readonly kind: 'step'; readonly replica: number; readonly seq: number }
  | { readonly kind: 'request'; readonly request: number }
  | { readonly kind: 'blocks'; readonly request: number; readonly replica: number };

type Page = Pick<App, 'transport' | 'selection' | 'dialogs'>;

/** What the way goes through. */
export type Standing = {
  readonly selected: Selection;
  /** The replica of the selected request. */
  readonly holder: number | undefined;
  /** The step that was entered. */
  readonly step: { readonly replica: number; readonly seq: number } | undefined;
  /** The request whose blocks were entered. */
  readonly blocks: { readonly request: number; readonly replica: number } | undefined;
};

/** The levels from the cluster to where one is. */
export function wayOf({ selected: { request, replica: own }, holder, step, blocks }: Standing): readonly Level[] {
  const replica = own ?? (request === undefined ? undefined : holder);
  const way: Level[] = [{ kind: 'cluster' }];
  if (replica !== undefined) way.push({ kind: 'replica', replica });
  if (step && step.replica === own) way.push({ kind: 'step', ...step });
  if (request !== undefined) way.push({ kind: 'request', request });
  if (blocks && blocks.request === request) way.push({ kind: 'blocks', ...blocks });
  return way;
}

/** The level that Escape leads to: the one before, where one came through it. */
export function levelBefore(way: readonly Level[], { selected }: Pick<Standing, 'selected'>): Level | undefined {
  const before = way.at(-2);
  return before?.kind === 'replica' && selected.replica === undefined ? { kind: 'cluster' } : before;
}

const [enteredStep, setEnteredStep] = createSignal<number>();
const [enteredBlocks, setEnteredBlocks] = createSignal<{
  readonly request: number;
  readonly replica: number;
  readonly from: Area;
}>();

function standing({ selection }: Pick<App, 'selection'>): Standing {
  const step = chosenStep();
  return {
    selected: selection.selected(),
    holder: selection.detail()?.replica,
    step: step?.replica === enteredStep() ? step : undefined,
    blocks: area() === 'kv' ? enteredBlocks() : undefined,
  };
}

/** Where one is, as levels from the cluster on. */
export const levels = (app: Pick<App, 'selection'>): readonly Level[] => wayOf(standing(app));

/** The next level that a click can lead to; undefined at the last, and where nothing runs. */
export function nextLevel(app: Page): 'step' | 'request' | 'blocks' | undefined {
  const last = levels(app).at(-1);
  if (last?.kind === 'replica') return replicaOf(app, last.replica)?.running ? 'step' : undefined;
  if (last?.kind === 'step') return replicaOf(app, last.replica)?.batch.requests.length ? 'request' : undefined;
  return last?.kind === 'request' && holderNow(app, last.request) ? 'blocks' : undefined;
}

const replicaOf = ({ transport }: Page, id: number): ReplicaFrame | undefined =>
  transport.throttledFrame()?.replicas.find((r) => r.id === id);

/** The replica in whose batch a request is, so that it holds blocks. */
const holderNow = ({ transport }: Page, request: number): ReplicaFrame | undefined =>
  transport.throttledFrame()?.replicas.find((r) => r.batch.requests.includes(request));

/** One level deeper, with what it shows announced; false where there is none. */
export async function deeper(app: Page): Promise<boolean> {
  const last = levels(app).at(-1);
  const next = nextLevel(app);
  if (next === 'step' && last?.kind === 'replica') return enterStep(app, last.replica);
  if (next === 'request' && last?.kind === 'step') {
    const request = replicaOf(app, last.replica)?.batch.requests[0];
    if (request === undefined) return false;
    enter(app, { kind: 'request', request });
    app.dialogs.tell(`Request ${request}, running on r${last.replica}`);
    return true;
  }
  if (next === 'blocks' && last?.kind === 'request') {
    const replica = holderNow(app, last.request)?.id;
    if (replica === undefined) return false;
    enter(app, { kind: 'blocks', request: last.request, replica });
    app.dialogs.tell(`Blocks of request ${last.request} on r${replica}`);
    return true;
  }
  return false;
}

/** The latest step of a replica, with its batch. */
async function enterStep(app: Page, replica: number): Promise<boolean> {
  const to_us = app.transport.frame()?.now_us ?? 0;
  const query = { from_us: 0, to_us, most: 1, requests: 0, first: replica, count: 1 };
  const { lanes } = await app.selection.closeUp('lanes', query);
  const steps = lanes.find((lane) => lane.replica === replica)?.steps;
  const first = steps?.seq.at(-1);
  if (first === undefined) return false;
  const seq = first + (steps?.steps.at(-1) ?? 1) - 1;
  enter(app, { kind: 'step', replica, seq });
  app.dialogs.tell(`Step ${seq} of r${replica}`);
  return true;
}

/** Shows a level, and leaves those below it. */
export function enter(app: Page, level: Level): void {
  const { selection } = app;
  if (level.kind !== 'blocks') closeBlocks();
  if (level.kind === 'cluster' || level.kind === 'replica') setEnteredStep(undefined);
  const { replica } = selection.selected();
  switch (level.kind) {
    case 'cluster':
      selection.select(NOTHING);
      break;
    case 'replica':
      selection.select({ request: undefined, replica: level.replica });
      break;
    case 'step':
      selection.select({ request: undefined, replica: level.replica });
      setChosenStep({ replica: level.replica, seq: level.seq });
      setEnteredStep(level.replica);
      selection.setRightTab('step');
      break;
    case 'request':
      selection.select({ request: level.request, replica });
      break;
    case 'blocks':
      openBlocks(app, level.request, level.replica);
  }
}

function openBlocks({ selection }: Page, request: number, replica: number): void {
  setEnteredBlocks({ request, replica, from: area() });
  setOpenReplica(replica);
  setArea('kv');
  if (isPhone()) selection.setPhoneTab('charts');
  void import('./requestBlocks.ts').then(({ findBlock }) => findBlock(selection, request, replica));
}

function closeBlocks(): void {
  const entered = enteredBlocks();
  setEnteredBlocks(undefined);
  if (!entered || area() !== 'kv') return;
  setChosenBlock(undefined);
  setArea(entered.from === 'kv' ? 'charts' : entered.from);
}

/** One level back; false at the cluster. */
export function back(app: Page): boolean {
  const before = levelBefore(levels(app), standing(app));
  if (before) enter(app, before);
  return before !== undefined;
}
