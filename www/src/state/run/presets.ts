// The built-in scenarios: names and titles at once, the text of a scenario when it is opened.
import type { PresetInfo as Preset } from '../../generated/boundary.ts';
import LIST from '../../generated/presets.json';

export type { Preset };

/** In the order of the menu; the page opens with the first. */
export const PRESETS: readonly Preset[] = LIST;

const TEXTS = import.meta.glob<string>('../../../../scenarios/*.json', { query: '?raw', import: 'default' });

export function presetNamed(name: string): Preset | undefined {
  return PRESETS.find((preset) => preset.name === name);
}

/** The preset that a link names, and whether the link says more than that: the module of links reads what. */
export type LinkedPreset = { readonly preset: Preset; readonly changed: boolean };

export function presetOfLink(link: string): LinkedPreset | undefined {
  const [, name = '', more] = /^#([^;]*)(;.*)?$/.exec(link) ?? [];
  const preset = presetNamed(name);
  return preset && { preset, changed: more !== undefined };
}

/** Its scenario as JSON text. */
export async function presetText(preset: Preset): Promise<string> {
  const load = TEXTS[`../../../../scenarios/${preset.name}.json`];
  if (!load) throw new Error(`there is no scenario ${preset.name}`);
  return load();
}
