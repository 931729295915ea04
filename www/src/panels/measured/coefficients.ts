// The names of fitted coefficients in words, and their units.

/** `step_us_per_layer` → Step per layer, in µs. */
export function coefficientSaid(coefficient: string): { readonly name: string; readonly unit: string } {
  const words = coefficient.split('_');
  const unit = words.includes('us') ? '\u00a0µs' : words.includes('ms') ? '\u00a0ms' : '';
  const name = words.filter((word) => word !== 'us' && word !== 'ms').join(' ');
  return { name: name.slice(0, 1).toUpperCase() + name.slice(1), unit };
}
