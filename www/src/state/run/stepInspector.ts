// From what the inspector shows to the one before or after it: a request, a replica, a step or a decision.
import type { App } from '../app.ts';
import { setChosenStep } from '../view/closeup.ts';

export function stepInspector(app: Pick<App, 'transport' | 'selection' | 'document'>, by: 1 | -1): void {
  const { selection } = app;
  const frame = app.transport.frame();
  const within = (now: number | undefined, count: number | undefined): number =>
    Math.max(0, Math.min(Math.max(0, (count ?? 1) - 1), (now ?? -by) + by));
  switch (selection.rightTab()) {
    case 'scaling':
      void import('./decisions.ts').then(({ stepDecision }) => stepDecision(app, by));
      break;
    case 'step':
      setChosenStep((now) => now && { ...now, seq: Math.max(0, now.seq + by) });
      break;
    case 'replica':
      selection.select({ request: undefined, replica: within(selection.framed(), frame?.replicas.length) });
      break;
    default:
      selection.select({
        request: within(selection.selected().request, frame?.counts.arrived),
        replica: selection.selected().replica,
      });
  }
}
