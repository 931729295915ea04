// The worker of a simulation: calls come in as messages, and their answers go out in order.
import { type Call, Core, type Reply, ScenarioError } from './core.js';

const core = new Core();

async function answer({ id, method, args }: Call): Promise<Reply> {
  try {
    const call = core[method] as (...args: unknown[]) => unknown;
    return { id, value: await call.apply(core, args) };
  } catch (error) {
    if (error instanceof ScenarioError) return { id, problems: error.problems };
    return { id, message: error instanceof Error ? error.message : String(error) };
  }
}

addEventListener('message', (event: MessageEvent<Call>) => {
  void answer(event.data).then((reply) => postMessage(reply));
});
