// A list of charts after a change by the user.

/** With the chart, at the end, or without it. */
export function toggled(list: readonly string[], name: string): readonly string[] {
  return list.includes(name) ? list.filter((one) => one !== name) : [...list, name];
}

/** With the chart one place earlier or later. */
export function moved(list: readonly string[], name: string, by: -1 | 1): readonly string[] {
  const from = list.indexOf(name);
  const to = from + by;
  if (from < 0 || to < 0 || to >= list.length) return list;
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, name);
}
