// Whether the controls of the run wait, and for what.
import type { App } from '../../state/app.ts';

/** Whether the run cannot be moved: a study is under way, or the simulation is not there yet. */
export const waits = (app: Pick<App, 'transport' | 'studies'>): boolean =>
  app.studies.studying() || app.transport.frame() === undefined;

/** Why a control of the run waits, until the first frame. */
export const whyWaits = (app: Pick<App, 'transport'>): string | undefined =>
  app.transport.frame() === undefined ? 'Waits for the simulation, which is loading' : undefined;
