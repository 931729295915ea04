// An app that runs one scenario in its own thread and in a worker.
import { type Report, ScenarioError, Simulation } from 'tokenyard';

async function run(worker: boolean): Promise<{ digest: string; completed: number }> {
  const text = await (await fetch('./scenario.json')).text();
  const simulation = await Simulation.load(text, { worker });
  await simulation.advance();
  const report: Report = await simulation.report();
  const digest = await simulation.digest();
  simulation.end();
  return { digest, completed: report.requests.completed };
}

async function refused(worker: boolean): Promise<number> {
  try {
    await Simulation.load({ run: { horizon_s: -1 } }, { worker });
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems.length;
    throw error;
  }
  return 0;
}

const result = { here: await run(false), apart: await run(true), refused: [await refused(false), await refused(true)] };
const output = document.querySelector('#result');
if (output) output.textContent = JSON.stringify(result);
