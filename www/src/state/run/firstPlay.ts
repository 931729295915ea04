// Runs that play as soon as they are open: in the first view the opening preset, and each other one the first time.
import type { App } from '../app.ts';
import { calm } from '../view/calm.ts';
import { readChoice, writeChoice } from '../view/flags.ts';
import type { Preset } from './presets.ts';
import { SPEEDS } from './speeds.ts';

/** The presets that have been opened from the gallery, by name. */
const KEY = 'opened';

/** Plays at the speed of a clock, unless motion is unwelcome or it plays already. */
export function playFirst({ transport }: Pick<App, 'transport'>): void {
  if (transport.playsOn()) return;
  transport.setSpeed(SPEEDS.indexOf(1));
  if (transport.reducedMotion()) return;
  void transport.toggle();
}

/** Opens a preset; in the first view it plays if it was never opened before in this browser. */
export async function openToPlay(app: Pick<App, 'transport' | 'document'>, preset: Preset): Promise<void> {
  const opened = (readChoice(KEY) ?? '').split(' ').filter((name) => name !== '');
  await app.document.openPreset(preset);
  if (opened.includes(preset.name)) return;
  writeChoice(KEY, [...opened, preset.name].join(' '));
  if (calm() && app.document.presetName() === preset.name) playFirst(app);
}
