// Records the first seconds of the scenario that the page opens with, by the module that the build ships: the page plays them
// before the module has come. src/sim/recorded.ts reads the file.
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { OPENING_DETAIL } from '../src/state/run/detail.ts';
import { columnDifference, difference, tokensOf } from './pack.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** How long it is, and how far its frames are apart: longer and closer ones are more to load. */
const LENGTH_US = 8_000_000;
const APART_US = 100_000;
/** The charts of the first view. */
const VIEWS = ['health', 'ttft-over-time'];
/** What the page asks about a run that nothing was done to. */
const QUESTIONS = ['{"documents":null}', '{"evidence":null}'];

/** A module of the page, made in Node. */
async function engine() {
  const script = pathToFileURL(at('../pkg/tokenyard.js')).href;
  const module = await import(/* @vite-ignore */ script);
  module.initSync({ module: readFileSync(at('../pkg/tokenyard_bg.wasm')) });
  return module;
}

/** The recording, as a value for JSON. */
export async function record() {
  const [first] = JSON.parse(readFileSync(at('../src/generated/presets.json'), 'utf8'));
  const text = readFileSync(at(`../../scenarios/${first.name}.json`), 'utf8');
  const { Sim } = await engine();
  const sim = new Sim(text);
  const decoder = new TextDecoder();
  const recording = {
    ...{ text, fromUs: first.opens_us, apartUs: APART_US },
    diagnostics: Sim.check(text),
    scenario: sim.scenario(),
    answers: Object.fromEntries(QUESTIONS.map((question) => [question, []])),
    frames: [],
    columns: Object.fromEntries(VIEWS.map((view) => [view, { names: [], at: [] }])),
  };
  let before = [];
  for (let us = 0; us <= LENGTH_US; us += APART_US) {
    while (sim.advance(first.opens_us + us, 1000) === 'events');
    const frame = tokensOf(decoder.decode(sim.frame(OPENING_DETAIL)));
    recording.frames.push(difference(before, frame));
    before = frame;
    for (const question of QUESTIONS) {
      const [answer, ...more] = sim.ask(question).map((bytes) => decoder.decode(bytes));
      if (more.length > 0) throw new Error(`the answer to ${question} is not text alone`);
      const answers = recording.answers[question];
      if (answers.at(-1)?.[1] !== answer) answers.push([recording.frames.length - 1, answer]);
    }
    for (const view of VIEWS) take(recording.columns[view], sim, view);
  }
  sim.free();
  return recording;
}

/** The columns of a view at the next instant. `latest` is what they were at the one before, and no part of the file. */
function take(recorded, sim, view) {
  const { names, columns } = sim.columns({ view, window_s: OPENING_DETAIL.window_s });
  const before = latest.get(recorded) ?? columns.map(() => []);
  recorded.names = names;
  recorded.at.push(columns.map((column, i) => columnDifference(before[i], column)));
  latest.set(recorded, columns);
}
const latest = new WeakMap();

const NAME = 'virtual:opening';

/** The address of the recording as `virtual:opening`; `undefined` where the page is served without a build. */
export function opening() {
  let [file, builds] = [undefined, false];
  return {
    name: 'opening',
    configResolved: ({ command }) => {
      builds = command === 'build';
    },
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async buildStart() {
      if (!builds) return;
      try {
        const source = JSON.stringify(await record());
        file = this.emitFile({ type: 'asset', name: 'opening.json', source });
      } catch (error) {
        this.error(`The opening could not be recorded with www/pkg (scripts/build-wasm makes it): ${error}`);
      }
    },
    load: (id) => {
      if (id !== `\0${NAME}`) return undefined;
      return `export default ${file === undefined ? undefined : `import.meta.ROLLUP_FILE_URL_${file}`};`;
    },
  };
}
