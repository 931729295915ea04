// What the user looks at: the selected request or replica, the cursor on the charts, the tabs, and questions about
// them.
import { type Accessor, batch, createSignal, type Setter } from 'solid-js';
import { isPhone } from '../../base/media.ts';
import { awaitField } from '../../base/typedAhead.ts';
import { NOTHING, type Place, type Selection } from '../../base/view.ts';
import type { EventRows, EventsQuery, RequestDetail, RunReport } from '../../generated/boundary.ts';
import { type Client, ignoreLost } from '../../sim/client.ts';
import { setAskedField } from '../view/askedField.ts';
import { setScenarioOpen } from '../view/calm.ts';

export const RIGHT_TABS = ['selection', 'step', 'request', 'replica', 'scaling', 'run', 'log', 'block'] as const;
/** The tab of a lesson is there while one is open; it has no part in links. */
export type RightTab = (typeof RIGHT_TABS)[number] | 'lesson';
export type LeftTab = 'form' | 'yaml' | 'changes';
export type PhoneTab = 'stage' | 'charts' | 'scenario' | 'inspector';

export type SelectionSlice = {
  readonly selected: Accessor<Selection>;
  readonly select: (next: Selection) => void;
  /** The replica that the stage frames: the selected one, or that of the selected request. */
  readonly framed: Accessor<number | undefined>;
  /** The details of the selected request. */
  readonly detail: Accessor<RequestDetail | undefined>;
  /** The instant under the pointer on the charts, in seconds. */
  readonly cursorS: Accessor<number | undefined>;
  readonly setCursorS: Setter<number | undefined>;
  /** Opens the request of a place on a chart or a distribution. */
  readonly openSlowest: (place: Place) => void;
  readonly slowest: (place: Place) => Promise<number | null>;
  /** The details of a request that need not be shown. */
  readonly inspect: (request: number) => Promise<RequestDetail | undefined>;
  readonly leftTab: Accessor<LeftTab>;
  /** Shows a tab of the scenario, and opens the scenario where it is folded. */
  readonly setLeftTab: (tab: LeftTab) => void;
  readonly rightTab: Accessor<RightTab>;
  readonly setRightTab: Setter<RightTab>;
  readonly phoneTab: Accessor<PhoneTab>;
  readonly setPhoneTab: Setter<PhoneTab>;
  /** Whether the inspector covers the charts of a narrow window. */
  readonly drawer: Accessor<boolean>;
  readonly setDrawer: Setter<boolean>;
  /** Opens a field of the form, with its section, and the list of its choices. */
  readonly openField: (path: string) => void;
  /** Shows the form's search and focuses it, with words to look for. */
  readonly searchForm: (words?: string) => void;
  readonly events: (query: EventsQuery) => Promise<EventRows>;
  readonly report: () => Promise<RunReport>;
  /** A question of a view of single steps, blocks, requests or decisions, or several. */
  readonly closeUp: Client['closeUp'];
  readonly closeUps: Client['closeUps'];
};

/** The slice, and the functions that other state uses. */
type Selecting = SelectionSlice & {
  /** Requests the details of the selected request again. */
  readonly refreshDetail: () => void;
  /** Clears the selection, because another run has other requests. */
  readonly forgetRequest: () => void;
};

/** Gives a report the title and note of the page. */
type Naming = (report: RunReport) => Promise<RunReport>;

/** The shown tab of the scenario; where the scenario is folded, showing one opens it. */
function createLeftTab(): Pick<SelectionSlice, 'leftTab' | 'setLeftTab'> {
  const [leftTab, setTab] = createSignal<LeftTab>('form');
  return {
    leftTab,
    setLeftTab: (tab) => {
      setTab(tab);
      setScenarioOpen(true);
    },
  };
}

/** The ways into the form: to one of its fields, and to its search. */
function waysToFields(
  setLeftTab: SelectionSlice['setLeftTab'],
  setPhoneTab: SelectionSlice['setPhoneTab'],
): Pick<SelectionSlice, 'openField' | 'searchForm'> {
  const openForm = (): void => {
    setLeftTab('form');
    setPhoneTab('scenario');
  };
  return {
    openField: (path) => {
      openForm();
      setAskedField({ path });
    },
    searchForm: (words) => {
      openForm();
      awaitField('.find input');
      requestAnimationFrame(() => {
        const field = document.querySelector<HTMLInputElement>('.find input');
        field?.focus();
        if (!field || words === undefined) return;
        field.value = words;
        field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      });
    },
  };
}

/** `onReplica` is called when another replica is selected. */
export function createSelection(client: () => Client, onReplica: () => void, named: Naming): Selecting {
  const [selected, setSelected] = createSignal<Selection>(NOTHING);
  const { detail, refreshDetail, forgetDetail } = createDetail(client, selected);
  const [cursorS, setCursorS] = createSignal<number>();
  const { leftTab, setLeftTab } = createLeftTab();
  const [rightTab, setRightTab] = createSignal<RightTab>('request');
  const [phoneTab, setPhoneTab] = createSignal<PhoneTab>('stage');
  const [drawer, setDrawer] = createSignal(false);

  function select(next: Selection): void {
    const focus = next.replica !== selected().replica;
    batch(() => {
      setSelected(next);
      if (next.request !== undefined) setRightTab('request');
      else if (next.replica !== undefined) setRightTab('replica');
      if (next.request !== undefined || next.replica !== undefined) {
        setDrawer(true);
        if (isPhone()) setPhoneTab('inspector');
      }
    });
    if (focus) onReplica();
    refreshDetail();
  }

  const questions = questionsTo(client, named);
  async function openSlowest(place: Place): Promise<void> {
    const request = await questions.slowest(place);
    if (request !== null) select({ request, replica: undefined });
  }

  return {
    selected,
    select,
    framed: () => selected().replica ?? detail()?.replica,
    detail,
    cursorS,
    setCursorS,
    openSlowest: (place) => void openSlowest(place).catch(ignoreLost),
    ...{ leftTab, setLeftTab, rightTab, setRightTab, phoneTab, setPhoneTab, drawer, setDrawer },
    ...waysToFields(setLeftTab, setPhoneTab),
    ...questions,
    refreshDetail,
    forgetRequest: () => {
      setSelected((s) => ({ ...NOTHING, replica: s.replica }));
      forgetDetail();
    },
  };
}

/** The details of the selected request. */
function createDetail(client: () => Client, selected: Accessor<Selection>) {
  const [detail, setDetail] = createSignal<RequestDetail>();
  const forgetDetail = (): void => void setDetail(undefined);
  function refreshDetail(): void {
    const { request } = selected();
    if (request === undefined) forgetDetail();
    else
      client()
        .ask('inspect', request)
        .then((found) => {
          if (selected().request === request) setDetail(found ?? undefined);
        }, ignoreLost);
  }
  return { detail, refreshDetail, forgetDetail };
}

/** The questions of panels to the run on screen. */
function questionsTo(
  client: () => Client,
  named: Naming,
): Pick<SelectionSlice, 'slowest' | 'inspect' | 'events' | 'report' | 'closeUp' | 'closeUps'> {
  return {
    inspect: async (request) => (await client().ask('inspect', request)) ?? undefined,
    slowest: ({ of, fromS, toS, atMostMs }) =>
      client().ask('slowest', {
        ttft: of === 'ttft',
        from_us: fromS * 1e6,
        to_us: toS * 1e6,
        at_most_us: atMostMs * 1000,
      }),
    events: (query) => client().ask('events', query),
    report: async () => named(await client().ask('report', null)),
    closeUp: (kind, query) => client().closeUp(kind, query),
    closeUps: (questions) => client().closeUps(questions),
  };
}
