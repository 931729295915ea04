// Links: the input of createLinks, and the view restored by a link or a kept scenario.
import { getAt } from '../../base/json.ts';
import { isPhone } from '../../base/media.ts';
import type { LinkView, TraceSummary } from '../../generated/boundary.ts';
import type { Client } from '../../sim/client.ts';
import type { DeskWorker } from '../../sim/desks.ts';
import { createLinks, type Links } from '../links/links.ts';
import type { Kept } from '../links/tabStorage.ts';
import { besides } from '../run/namedRuns.ts';
import { PRESETS, presetNamed } from '../run/presets.ts';
import { FIRST_SPEED, SPEEDS } from '../run/speeds.ts';
import type { Beside } from '../studies/compare.ts';
import { compareAsB } from '../studies/runForB.ts';
import { openStudyOfLink } from '../studies/studyLink.ts';
import { calm } from '../view/calm.ts';
import type { DialogsSlice } from './dialogs.ts';
import type { createDocument } from './document.ts';
import { RIGHT_TABS, type SelectionSlice } from './selection.ts';
import type { createStudies } from './studies.ts';
import type { TransportSlice } from './transport.ts';

/** The name of the panel of measured runs in links. */
const MEASURED = 'measured';
/** The name of the comparison, whose B is the second run of the link. */
const COMPARISON = 'compare';

export type LinksSlice = Links & {
  /** Opens a kept scenario that has no link. */
  readonly openKept: (kept: Kept) => Promise<void>;
  /** Applies the view of a link to the page. */
  readonly look: (view: LinkView) => void;
  /** Opens the lesson of a file, or of a link without a text. */
  readonly openLesson: (name: string, text?: string) => Promise<void>;
};

type Surroundings = {
  readonly client: () => Client;
  readonly transport: TransportSlice;
  readonly selection: SelectionSlice;
  readonly document: ReturnType<typeof createDocument>;
  readonly studies: ReturnType<typeof createStudies>;
  readonly dialogs: DialogsSlice;
};

export function createLinksSlice(spawn: () => DeskWorker, page: Surroundings): LinksSlice {
  const { transport, selection, document, studies, dialogs } = page;
  const { comparing, compared, measured } = studies;
  const { open, namedRuns, presetName } = document;
  const look = createLook(page);

  async function openKept({ scenario, name, view, original }: Kept): Promise<void> {
    if (await open(scenario, name, false, view.at_us ?? undefined, original)) look(view);
  }

  const panel = (): string | undefined => {
    if (comparing()) return COMPARISON;
    if (measured()) return MEASURED;
    const tab = selection.rightTab();
    return tab === 'request' || tab === 'lesson' ? undefined : tab;
  };

  /** The code of lessons is loaded with the first one. */
  const openLesson: LinksSlice['openLesson'] = async (name, text) => {
    const { openLessonNamed } = await import('../lessons/lessonOpening.ts');
    await openLessonNamed({ ...page, links: slice }, name, text);
  };

  const links = createLinks(spawn, {
    document: document.current,
    original: document.original,
    name: presetName,
    openUnlinked: async (before) => {
      const [first] = PRESETS;
      if (before) await openKept(before);
      else if (first) await document.openPreset(first);
    },
    trace: document.trace,
    setTrace: document.setTrace,
    beside: (): Beside | undefined => (comparing() ? compared() : undefined) ?? besides(namedRuns()),
    addSecondRun: document.addSecondRun,
    frame: transport.frame,
    playsOn: transport.playsOn,
    rests: () => transport.mode() === 'paused',
    selected: selection.selected,
    speed: transport.speed,
    firstSpeed: SPEEDS[FIRST_SPEED] ?? 1,
    panel,
    setNotice: dialogs.setNotice,
    open: (text, name, useTrace, { atUs, original }) =>
      open(text, name, useTrace, atUs ?? presetNamed(name)?.opens_us, original),
    look,
    openLesson,
    pause: transport.pause,
    settle: () => transport.seek((transport.frame()?.now_us ?? 0) / 1e6),
    report: () => page.client().ask('report', null),
    version: transport.version,
    goOn: (toUs) => void transport.seek(toUs / 1e6),
    readTrace: (file) => readTrace(page, file),
  });
  const slice = { ...links, openKept, look, openLesson };
  return slice;
}

/** Reads a trace file for a link that names it; the dialog of traces shows its errors. */
async function readTrace({ client, dialogs }: Surroundings, file: File): Promise<TraceSummary | undefined> {
  const files = await import('../files/files.ts');
  return (await files.readTrace(client(), dialogs.setReading, file))?.summary;
}

/** The functions that apply the view of a link. */
function createLook({ transport, selection, document, studies }: Surroundings): (view: LinkView) => void {
  return (view) => {
    const { speed: asked, selection: selected, panel } = view;
    if (view.span || view.theory || view.charts?.length || view.closeup?.length)
      void import('../links/linkShown.ts').then(({ showDrawn }) => showDrawn(view));
    if (asked !== null) {
      const wanted = asked > 0 ? asked : Number.POSITIVE_INFINITY;
      const found = SPEEDS.findIndex((s) => s >= wanted);
      transport.setSpeed(found < 0 ? SPEEDS.length - 1 : found);
    }
    if (selected) {
      const { request, replica } = { request: undefined, replica: undefined, ...selected };
      selection.select({ request, replica });
    }
    const tab = RIGHT_TABS.find((t) => t === panel);
    if (tab) {
      selection.setRightTab(tab);
      if (calm()) selection.setDrawer(true);
    }
    // The author's note comes first; on a phone it has its own tab.
    if (isPhone() && getAt(document.current(), 'note')) selection.setPhoneTab('scenario');
    if (panel === MEASURED) studies.showMeasured();
    if (panel === COMPARISON) {
      compareAsB(besides(document.namedRuns()));
      openStudyOfLink(view.study ?? undefined);
      studies.showComparison();
    }
  };
}
