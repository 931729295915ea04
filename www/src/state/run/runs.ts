import { readDocument } from '../../base/text.ts';
import type { RunFigures } from '../../generated/boundary.ts';
import { createChanges, createEditList, createLive } from '../edits/runEdits.ts';
import { createCarrying, createHistory } from '../edits/runHistory.ts';
import { recorded } from '../edits/undo.ts';
import { branched, type NamedRuns, shownOf, withNamedRun, withSecondRun } from './namedRuns.ts';
import { createLoading, createOpening } from './runLoading.ts';
import {
  createProblems,
  createRunState,
  type RunState,
  type RunWords,
  type Surroundings,
  wordsOf,
} from './runState.ts';

export function createRuns(page: Surroundings) {
  const state = createRunState(page.client, page.frame);
  const problems = createProblems(page.setNotice);
  const loading = createLoading(page, state, problems);
  const opening = createOpening(page, state, loading, problems);
  const live = createLive(page, state, problems);
  const history = createHistory(page, state, loading, createCarrying(page, state, loading, live, problems));
  return {
    ...state,
    current: state.document,
    problems: problems.problems,
    setProblems: problems.setProblems,
    ...opening,
    ...createChanges(page, state, live, opening),
    ...createEditList(state, live, opening),
    ...createListed(page, state),
    ...history,
    /** The title and note that the simulation has, if the page has others. */
    staleWords: (): RunWords | undefined => {
      const { words } = state.latest;
      const { title, note } = wordsOf(state.document());
      return words.title === title && words.note === note ? undefined : words;
    },
    reset: async () => {
      await opening.restartWith(state.original());
    },
  };
}

/** The runs of this scenario beside the one on screen. */
function createListed({ client, frame }: Surroundings, state: RunState) {
  const { document, namedRuns, setNamedRuns, setHistory } = state;

  /** The figures of the run on screen; requested if the run was computed further than the known ones. */
  async function figuresShown(): Promise<RunFigures> {
    const known = shownOf(namedRuns())?.figures;
    return known !== undefined && known.computed_us === frame()?.computed_us
      ? known
      : client().ask('run-figures', null);
  }

  /** Updates the figures of the run on screen in the list. */
  async function refreshNamedRun(): Promise<void> {
    const figures = await figuresShown();
    setNamedRuns((all) => withNamedRun(all, all.shown, { figures }));
  }

  /** Keeps the run on screen under its name and continues in another one. */
  async function branch(): Promise<void> {
    const figures = await figuresShown();
    const kept = { document: document(), figures };
    setNamedRuns((all) => branched(all, kept, document()));
  }

  /** Changes the list of runs, not the run on screen. */
  function listRuns(after: NamedRuns): void {
    const before = namedRuns();
    setNamedRuns(after);
    setHistory((h) => recorded(h, { kind: 'runs', before, after }));
  }

  return {
    branch,
    /** Lists the second run of a link beside the one on screen. */
    addSecondRun: (name: string, scenario: string) =>
      setNamedRuns(withSecondRun(document(), { name, document: readDocument(scenario) })),
    refreshNamedRun,
    listRuns,
  };
}
