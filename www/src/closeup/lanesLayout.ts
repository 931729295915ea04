// Where the parts of the lanes are, in CSS pixels: the page and the painter compute it from the same numbers.
import type { LaneSteps } from '../generated/boundary.ts';

/** Left and right margin: names of replicas, and their percentiles. */
export const LANES_EDGE = { left: 48, right: 52 } as const;
/** Height of a lane, of the open one, and from one lane to the next; with many replicas lanes are lower. */
const LANE = { few: 26, many: 18, open: 32, gap: 6, manyFrom: 13 } as const;
/** Heights of the parts that do not scroll. */
const HEIGHT = { top: 6, minimap: 26, link: 8, ruler: 20, router: 18, legend: 20, batch: 74, batchFrom: 360 } as const;
/** Rows of requests up to this number are drawn one by one. */
export const MOST_ROWS = 90;
const ROW = { most: 7, least: 2 } as const;
/** Height of a server's name above its lanes. */
const HEAD = 16;

export type Band = { readonly y: number; readonly h: number };
export type LaneBand = Band & { readonly replica: number };
export type Requests = Band & {
  /** Height from one row to the next; 0 where there are too many, which are drawn as a strip of density. */
  readonly row: number;
};

export type LanesLayout = {
  readonly plot: { readonly x: number; readonly w: number };
  readonly minimap: Band;
  readonly ruler: Band;
  readonly router: Band;
  /** The part that scrolls. */
  readonly area: Band;
  /** The lanes that are at least partly visible. */
  readonly lanes: readonly LaneBand[];
  /** The names above the lanes of servers, if they are at least partly visible. */
  readonly heads: readonly (Band & { readonly words: string })[];
  /** The requests of the open replica. */
  readonly requests: Requests | undefined;
  readonly batch: Band | undefined;
  readonly legend: Band;
  readonly scroll: number;
  readonly mostScroll: number;
};

/** Replicas that are ranks of one server: their lanes stand together below its name. */
export type LaneGroup = { readonly words: string; readonly replicas: readonly number[] };

export type LaneCounts = {
  readonly replicas: number;
  readonly groups?: readonly LaneGroup[];
  /** The replica whose requests are shown, and the rows that they take. */
  readonly open: number | undefined;
  readonly rows: number;
  /** By how many pixels the lanes are scrolled. */
  readonly scroll: number;
};

/** The height of the requests of the open replica, in what the lanes leave free. */
function requestRoom(rows: number, free: number, area: number): { readonly h: number; readonly row: number } {
  if (rows > MOST_ROWS) return { h: Math.max(72, Math.min(free, 200)), row: 0 };
  const least = Math.min(Math.max(64, area / 3), rows * ROW.most + 8);
  const h = Math.max(24, Math.min(rows * ROW.most + 8, Math.max(free, least)));
  return { h, row: Math.max(ROW.least, Math.min(ROW.most, (h - 8) / Math.max(1, rows))) };
}

/** A name of a server, or a lane. */
type Line = { readonly words: string } | { readonly replica: number };

/** Names and lanes in order: ranks of a server at the place of its first one. */
function linesOf({ replicas, groups = [] }: LaneCounts): Line[] {
  const groupOf = new Map(groups.flatMap((group) => group.replicas.map((replica) => [replica, group] as const)));
  const placed = new Set<LaneGroup>();
  return Array.from({ length: replicas }, (_, replica) => replica).flatMap((replica): Line[] => {
    const group = groupOf.get(replica);
    if (!group) return [{ replica }];
    if (placed.has(group)) return [];
    placed.add(group);
    const own = group.replicas.filter((rank) => rank < replicas).map((rank) => ({ replica: rank }));
    return [{ words: group.words }, ...own];
  });
}

export function lanesLayout(width: number, height: number, counts: LaneCounts): LanesLayout {
  const { replicas, open, rows } = counts;
  const plot = { x: LANES_EDGE.left, w: Math.max(1, width - LANES_EDGE.left - LANES_EDGE.right) };
  const minimap = { y: HEIGHT.top, h: HEIGHT.minimap };
  const ruler = { y: minimap.y + minimap.h + HEIGHT.link, h: HEIGHT.ruler };
  const router = { y: ruler.y + ruler.h, h: HEIGHT.router };
  const legend = { y: height - HEIGHT.legend, h: HEIGHT.legend };
  const shows = open !== undefined && height >= HEIGHT.batchFrom;
  const batch = shows ? { y: legend.y - HEIGHT.batch, h: HEIGHT.batch } : undefined;
  const from = router.y + router.h + 4;
  const area = { y: from, h: Math.max(1, (batch?.y ?? legend.y) - from - 4) };
  const lane = replicas >= LANE.manyFrom ? LANE.many : LANE.few;
  const lines = linesOf(counts);
  const names = lines.filter((line) => 'words' in line).length * HEAD;
  const others = names + (replicas - (open === undefined ? 0 : 1)) * (lane + LANE.gap);
  const own = open === undefined ? 0 : LANE.open + LANE.gap;
  const room = open === undefined ? undefined : requestRoom(rows, area.h - others - own - LANE.gap, area.h);
  const whole = others + own + (room ? room.h + LANE.gap : 0);
  const mostScroll = Math.max(0, whole - area.h);
  const scroll = Math.min(mostScroll, Math.max(0, counts.scroll));
  const lanes: LaneBand[] = [];
  const heads: (Band & { words: string })[] = [];
  let requests: Requests | undefined;
  let y = area.y - scroll;
  for (const line of lines) {
    if ('words' in line) {
      if (y + HEAD > area.y && y < area.y + area.h) heads.push({ y, h: HEAD, words: line.words });
      y += HEAD;
      continue;
    }
    const { replica } = line;
    const h = replica === open ? LANE.open : lane;
    if (y + h > area.y && y < area.y + area.h) lanes.push({ replica, y, h });
    y += h + LANE.gap;
    if (replica === open && room) {
      requests = { y: y - 2, ...room };
      y += room.h + LANE.gap;
    }
  }
  return { plot, minimap, ruler, router, area, lanes, heads, requests, batch, legend, scroll, mostScroll };
}

/** By how much to scroll so that a replica's lane and its requests can be seen. */
export function scrolledTo(width: number, height: number, counts: LaneCounts, replica: number): number {
  const lane = counts.replicas >= LANE.manyFrom ? LANE.many : LANE.few;
  const lines = linesOf(counts);
  const own = lines.findIndex((line) => 'replica' in line && line.replica === replica);
  // The first rank of a server is seen with its name.
  const named = 'words' in (lines[own - 1] ?? {});
  const before = lines.slice(0, Math.max(0, named ? own - 1 : own));
  const top = before.reduce((sum, line) => sum + ('words' in line ? HEAD : lane + LANE.gap), 0);
  const { area, scroll, mostScroll } = lanesLayout(width, height, counts);
  const bottom = top + LANE.open + (counts.open === replica ? Math.min(area.h / 2, 80) : 0);
  const above = top < scroll || bottom - top > area.h;
  const next = above ? top : bottom > scroll + area.h ? bottom - area.h : scroll;
  return Math.min(mostScroll, Math.max(0, next));
}

/** What lies at a place. */
export type Hit =
  | { readonly on: 'minimap' | 'ruler' | 'router' | 'batch' | 'none' }
  | { readonly on: 'lane'; readonly replica: number }
  | { readonly on: 'requests'; readonly row: number };

const within = (band: Band | undefined, y: number, margin = 0): boolean =>
  band !== undefined && y >= band.y - margin && y < band.y + band.h + margin;

export function hitLanes(layout: LanesLayout, y: number): Hit {
  if (within(layout.minimap, y, 3)) return { on: 'minimap' };
  if (within(layout.ruler, y)) return { on: 'ruler' };
  if (within(layout.router, y)) return { on: 'router' };
  if (within(layout.batch, y)) return { on: 'batch' };
  if (!within(layout.area, y)) return { on: 'none' };
  const lane = layout.lanes.find((band) => within(band, y, LANE.gap / 2));
  if (lane) return { on: 'lane', replica: lane.replica };
  const { requests } = layout;
  if (!requests || !within(requests, y)) return { on: 'none' };
  return { on: 'requests', row: requests.row === 0 ? -1 : Math.floor((y - requests.y) / requests.row) };
}

/** The instants at the edges of the plot, in microseconds. */
export type Ends = { readonly fromUs: number; readonly toUs: number };

export function xOf(plot: LanesLayout['plot'], { fromUs, toUs }: Ends, us: number): number {
  return plot.x + (plot.w * (us - fromUs)) / Math.max(1, toUs - fromUs);
}

export function usAt(plot: LanesLayout['plot'], { fromUs, toUs }: Ends, x: number): number {
  return fromUs + ((toUs - fromUs) * (Math.min(plot.x + plot.w, Math.max(plot.x, x)) - plot.x)) / plot.w;
}

/** The slice at an instant, or the nearest within `slackUs`; −1 if there is none. */
export function sliceAt(steps: LaneSteps, us: number, slackUs: number): number {
  let low = 0;
  let high = steps.at_us.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps.at_us[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  const before = low - 1;
  const end = (steps.at_us[before] ?? 0) + (steps.span_us[before] ?? 0);
  if (before >= 0 && us < end) return before;
  const gaps = [before >= 0 ? us - end : Number.POSITIVE_INFINITY, (steps.at_us[low] ?? Number.POSITIVE_INFINITY) - us];
  const nearest = (gaps[0] ?? 0) <= (gaps[1] ?? 0) ? before : low;
  return Math.min(...gaps) <= slackUs ? nearest : -1;
}
