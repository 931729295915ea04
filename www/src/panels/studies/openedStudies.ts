// Files of studies: what was dropped or chosen is read in the thread of comparisons and shown by the view of its kind.
import { type Accessor, createEffect, createSignal, on } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import type { StudyFile } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import type { Comparing } from '../../state/studies/compare.ts';
import { droppedStudy, dropStudy } from '../../state/studies/droppedStudy.ts';
import { troubleOf } from '../../state/studies/manyRuns.ts';
import { jsonOf, type OpenedStudy } from '../../state/studies/studyFiles.ts';

type Opening = {
  readonly app: Pick<App, 'document' | 'transport'>;
  readonly comparing: Comparing;
  readonly show: (kind: StudyFile['kind']) => void;
};

export type OpenedStudies = {
  /** The study that was opened last. */
  readonly opened: Accessor<OpenedStudy | undefined>;
  /** Whether the comparison on screen is the saved one, once it is made again; empty before. */
  readonly repeated: Accessor<string>;
  readonly openFile: (file: File) => void;
};

export function createOpenedStudies({ app, comparing, show }: Opening): OpenedStudies {
  const [opened, setOpened] = createSignal<OpenedStudy>();
  const [repeated, setRepeated] = createSignal('');
  const read = async (name: string, text: string): Promise<void> => {
    comparing.setTrouble('');
    setRepeated('');
    try {
      const { study, whole } = await comparing.thread.ask('read-study', text);
      setOpened({ study, whole, name });
      show(study.kind);
      if (study.kind === 'compare') await repeat(study, name);
    } catch (error) {
      show('compare');
      comparing.setTrouble(`${name}: ${troubleOf(error)}`);
    }
  };
  /** Two runs are made again from their scenarios: every number on screen can then be asked about. */
  const repeat = async (study: StudyFile, name: string): Promise<void> => {
    const [a, b] = [jsonOf(study.scenario), jsonOf(study.beside?.scenario)];
    if (!study.beside || a === undefined || b === undefined) return;
    await app.document.open(writeDocument(a), name, false, study.beside.at_us);
    await comparing.choose({ name: study.beside.name, document: b });
  };
  createEffect(
    on(droppedStudy, (next) => {
      if (!next) return;
      dropStudy(undefined);
      void read(next.name, next.text);
    }),
  );
  createEffect(
    on(comparing.result, (found) => {
      const beside = opened()?.study.beside;
      if (!found || !beside || found.atUs !== beside.at_us) return;
      const digests = [found.comparison.a, found.comparison.b].map((side) => side.report_digests[0]);
      const same = digests.every((digest, i) => digest === beside.report_digests[i]);
      setRepeated(
        same
          ? `${opened()?.name}: the same results as saved.`
          : `${opened()?.name}: other results than saved with version ${opened()?.study.version}.`,
      );
    }),
  );
  return {
    opened,
    repeated,
    openFile: (file) => void file.text().then((text) => dropStudy({ name: file.name, text })),
  };
}

/** The comparison on screen as a file; nothing until both runs rest at one instant. */
export function comparisonFile(app: Pick<App, 'document'>, comparing: Comparing): StudyFile | undefined {
  const [found, beside] = [comparing.result(), comparing.beside()];
  if (!found || !beside) return undefined;
  const { comparison } = found;
  return {
    tokenyard_study: 0,
    version: '',
    digest: '',
    kind: 'compare',
    scenario: app.document.current(),
    seeds: 1,
    rows: [],
    beside: {
      name: beside.name.slice(0, 100),
      scenario: beside.document,
      at_us: found.atUs,
      report_digests: [comparison.a.report_digests[0] ?? '', comparison.b.report_digests[0] ?? ''],
      comparison,
    },
  };
}
