// What each policy for the KV of sessions computes again beyond the oracle: a run for each with the same draws, in workers.
import { createSignal, onCleanup } from 'solid-js';
import type { KvPolicyCase, KvPolicyRegret, KvPolicyRun } from '../../generated/boundary.ts';
import type { Asking } from '../../sim/asking.ts';
import type { Client } from '../../sim/client.ts';
import { ManyRuns, outcomesOf, type Progress, troubleOf } from './manyRuns.ts';

export type KvRegret = ReturnType<typeof createKvRegret>;

export function createKvRegret(thread: Asking<'compare'>) {
  const runs = new ManyRuns();
  const [rows, setRows] = createSignal<readonly KvPolicyRegret[]>([]);
  const [progress, setProgress] = createSignal<Progress>();
  const [running, setRunning] = createSignal(false);
  const [trouble, setTrouble] = createSignal('');
  /** The scenario that the rows are of. */
  const [scenario, setScenario] = createSignal('');

  function stop(): void {
    runs.stop();
    setRunning(false);
  }
  onCleanup(stop);

  async function start(text: string): Promise<void> {
    stop();
    setRows([]);
    setTrouble('');
    setProgress(undefined);
    setScenario(text);
    setRunning(true);
    const beganMs = performance.now();
    try {
      const cases = await thread.ask('kv-policy-cases', text);
      const workers = runs.workersFor(cases.length);
      const made: KvPolicyRun[] = [];
      const tell = (): void => {
        setProgress({ done: made.length, of: cases.length, tookMs: performance.now() - beganMs, workers });
      };
      tell();
      const whole = await runs.all(cases, async (client, next, heard) => {
        const run = await runOf(client, next);
        if (!heard()) return;
        made.push(run);
        tell();
        const found = await thread.ask('kv-policy-regrets', [...made]);
        if (heard()) setRows(found);
      });
      if (whole) stop();
    } catch (error) {
      stop();
      setTrouble(troubleOf(error));
    }
  }

  return { rows, progress, running, trouble, scenario, start, stop };
}

async function runOf(client: Client, { policy, scenario }: KvPolicyCase): Promise<KvPolicyRun> {
  await outcomesOf(client, scenario);
  const [sessions, report] = [
    await client.closeUp('sessions', { from_us: 0, to_us: 0 }),
    await client.ask('report', null),
  ];
  return { policy, again_tokens: sessions.again_tokens, again: sessions.again, report: report.json };
}
