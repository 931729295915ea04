// The layout of a stage with one source: the pipe, the router and one row a replica, with room for a tool at its end. The first view has
// high rows, the whole page low ones with one more column.
import type { ToolPlaces } from '../base/view.ts';
import type { Bare, Box } from './layout.ts';
import { baseOf, type Measures, type Rows, rowBoxes, rowsIn, TOOL, toolIn } from './rowLayout.ts';

/** What stands before the rows. */
export type Calm = {
  /** The trunk below the router, where that stands above the rows. */
  readonly trunk?: number;
  /** Where the pipe begins, and the middle of the router. */
  readonly source: number;
  readonly router: { readonly x: number; readonly radius: number };
  /** The thickest way to a replica. */
  readonly ribbon: number;
  /** Where the tools of the source stand, below the line of the pipe; missing where there is no room for them. */
  readonly tools?: { readonly burst: Below; readonly router: Below };
};

type Below = { readonly x: number; readonly below: number };

/** A phone has its router above the rows, and a trunk at their left. */
const PHONE = {
  below: 600,
  top: 50,
  trunk: 28,
  router: 24,
  row: 52,
  edge: 16,
  name: 12,
  door: 162,
  height: 62,
  least: 44,
  gap: 6,
} as const;
const NONE = { x: 0, w: 0 } as const;
const TOP = 36;
const EDGE = 31;
/** Most replicas that have a high row, and the heights of both: they grow with a high page. */
const HIGH_ROWS = 4;
const HEIGHT = { least: 28, high: 108, low: 56 } as const;

type Lead = Measures & { readonly from: number; readonly row: number; readonly router: number };
const FIRST = { tool: 108, step: 0, kv: 0 } as const;
/** The measures of a wide page and of narrower ones. */
const NARROW: Lead = { from: 0, row: 200, router: 116, name: 12, door: 168, columns: 4, bar: 7, gap: 3, ...FIRST };
const FIRST_LEADS: readonly Lead[] = [
  { from: 1100, row: 400, router: 276, name: 20, door: 392, columns: 10, bar: 14, gap: 5, ...FIRST },
  { from: 820, row: 296, router: 190, name: 14, door: 206, columns: 6, bar: 10, gap: 4, ...FIRST },
];

/** The rows of the whole page: their edges, their heights, and what they have at their end. */
const WORK = { edge: 16, gap: 4, foot: 20, least: 26, most: 50 } as const;
const LAST = { tool: TOOL, step: 56, kv: 0 } as const;
/** From this height on, the stage has the page to itself, and rows are high. */
const WHOLE = 420;
/** With blocks as a further column from this width on: a page of 1,680 px. */
const BLOCKS = { from: 1080, w: 139 } as const;
const WORK_LEADS: readonly Lead[] = [
  { from: 780, row: 246, router: 168, name: 12, door: 172, columns: 5, bar: 10, gap: 3, ...LAST },
  { from: 600, row: 196, router: 142, name: 12, door: 148, columns: 4, bar: 8, gap: 3, ...LAST },
];
const WORK_NARROW: Lead = { from: 0, row: 150, router: 96, name: 12, door: 112, columns: 2, bar: 6, gap: 2, ...LAST };

type Pane = { readonly width: number; readonly height: number };
export type CalmLayout = Bare & { readonly calm: Calm; readonly rows: Rows };

/** The stage of the first view. */
export function calmLayout(pane: Pane, replicas: number, batch: number): CalmLayout {
  return pane.width < PHONE.below ? phoneRows(pane, replicas, batch) : wideRows(pane, replicas, batch);
}

/** The stage of the whole page, where its rows fit; `tools`: whether each has one. */
export function workLayout(pane: Pane, replicas: number, batch: number, tools: boolean): CalmLayout | undefined {
  const lead = WORK_LEADS.find(({ from }) => pane.width >= from) ?? WORK_NARROW;
  const n = Math.max(1, replicas);
  const room = Math.floor((pane.height - TOP - WORK.foot + WORK.gap) / n) - WORK.gap;
  if (room < WORK.least) return undefined;
  const h = Math.min(pane.height < WHOLE ? WORK.most : HEIGHT.high, room);
  // A few rows stand in the middle.
  const y = TOP + Math.max(0, Math.floor((pane.height - TOP - WORK.foot - n * (h + WORK.gap) + WORK.gap) / 2));
  const w = pane.width - WORK.edge - lead.row;
  const wide = pane.width >= BLOCKS.from;
  const measures = {
    ...lead,
    tool: tools ? lead.tool : 12,
    kv: wide ? BLOCKS.w : 0,
    // Where a row has room for it, its bars are as wide as in the first view.
    ...(wide ? { bar: 14, gap: 5 } : {}),
  };
  const boxes = rowBoxes({ x: lead.row, y, w, h }, WORK.gap, replicas);
  const at = { x: WORK.edge, below: 18 };
  const beside = tools && lead !== WORK_NARROW;
  return {
    ...rowsOf(pane, boxes, { x: lead.row, w, y: y - 10 }),
    axisY: y + (n * (h + WORK.gap) - WORK.gap) / 2,
    calm: {
      source: WORK.edge + 5,
      router: { x: lead.router, radius: 14 },
      ribbon: 24,
      ...(beside ? { tools: { router: at, burst: { ...at, below: at.below + 34 } } } : {}),
    },
    rows: {
      ...rowsIn({ x: lead.row, w, h }, measures, batch),
      ...(tools ? { tool: toolIn(lead.row + w, h) } : {}),
    },
  };
}

function phoneRows({ width, height }: Pane, replicas: number, batch: number): CalmLayout {
  const room = Math.floor((height - PHONE.top - 4 + PHONE.gap) / replicas) - PHONE.gap;
  const h = Math.max(PHONE.least, Math.min(PHONE.height, room));
  const w = width - PHONE.row - PHONE.edge;
  const boxes = rowBoxes({ x: PHONE.row, y: PHONE.top, w, h }, PHONE.gap, replicas);
  const bottom = PHONE.top + replicas * (h + PHONE.gap) - PHONE.gap;
  const measures = { name: PHONE.name, door: PHONE.door, columns: 6, bar: 4.55, gap: 1.95, tool: 10, step: 0, kv: 0 };
  const rows = rowsIn({ x: PHONE.row, w, h }, measures, batch);
  return {
    ...rowsOf({ width, height: Math.max(height, bottom + 4) }, boxes, { x: PHONE.row, w, y: PHONE.router + 4 }),
    axisY: PHONE.router,
    calm: { trunk: PHONE.trunk, source: PHONE.trunk, router: { x: PHONE.trunk, radius: 12 }, ribbon: 6 },
    rows: {
      ...rows,
      inline: false,
      chip: { size: 11, pitch: 14, columns: 6 },
      batch: { ...rows.batch, height: Math.round(h * 0.61) },
      down: { x: PHONE.row + 170, right: PHONE.row + w },
    },
  };
}

/** What rows have in common with other stages. */
function rowsOf(
  { width, height }: Pane,
  boxes: readonly Box[],
  head: { readonly x: number; readonly w: number; readonly y: number },
): Omit<Bare, 'axisY'> {
  return {
    detail: 'rows',
    narrow: false,
    stacked: false,
    width,
    height,
    head: { x: head.x, right: head.x + head.w, y: head.y },
    boxes,
    columns: { id: NONE, wait: NONE, batch: NONE, kv: NONE, now: NONE },
    branches: boxes.map((b, i) => ({ y: b.y + b.h / 2, first: i, count: 1 })),
    marks: 0,
  };
}

function wideRows({ width, height }: Pane, replicas: number, batch: number): CalmLayout {
  const lead = FIRST_LEADS.find(({ from }) => width >= from) ?? NARROW;
  const high = replicas <= HIGH_ROWS;
  const gap = high ? 8 : 5;
  const room = Math.floor((height - TOP - 12 + gap) / replicas) - gap;
  const h = Math.max(HEIGHT.least, Math.min(high ? HEIGHT.high : HEIGHT.low, room));
  const w = width - EDGE - lead.row;
  const boxes = rowBoxes({ x: lead.row, y: TOP, w, h }, gap, replicas);
  const bottom = TOP + replicas * (h + gap) - gap;
  const stacked = lead.router < 250;
  return {
    ...rowsOf({ width, height: Math.max(height, bottom + 4) }, boxes, { x: lead.row, w, y: TOP - 10 }),
    axisY: (TOP + bottom) / 2,
    calm: {
      source: EDGE + 5,
      router: { x: lead.router, radius: 20 },
      ribbon: 30,
      tools: {
        burst: { x: EDGE, below: stacked ? 72 : 32 },
        router: { x: stacked ? EDGE : lead.router - 112, below: 32 },
      },
    },
    rows: { ...rowsIn({ x: lead.row, w, h }, lead, batch), tool: { x: lead.row + w - 98, high: 32 } },
  };
}

/** Where the tools stand: below the source, below the router, and at the end of each row. */
export function toolPlaces(
  {
    axisY,
    boxes,
    calm,
    rows,
  }: Pick<Bare, 'axisY' | 'boxes'> & { readonly rows: Rows; readonly calm?: Calm | undefined },
  replicas: readonly number[],
): ToolPlaces {
  const { x, bar, pitch, height, places } = rows.batch;
  const batches = boxes.map((b, i) => ({
    ...{ replica: replicas[i] ?? i, bar, pitch, height, places, x },
    y: baseOf(b, rows) - height,
  }));
  const { tools } = calm ?? {};
  const { tool } = rows;
  const spot = (at: Below) => ({ x: at.x, y: axisY + at.below });
  return {
    ...(tools ? { source: { burst: spot(tools.burst), router: spot(tools.router) } } : {}),
    rows: tool ? boxes.map((b, i) => ({ x: tool.x, y: b.y + (b.h - tool.high) / 2, replica: replicas[i] ?? i })) : [],
    batches,
  };
}
