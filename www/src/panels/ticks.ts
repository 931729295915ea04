/** Round instants from 0 to `end`, at most about `most` of them, the end included where it does not crowd. */
export function ticks(end: number, most: number): readonly number[] {
  const rough = end / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const all: number[] = [];
  for (let i = 0; i * step <= end - step * 0.6; i += 1) all.push(Number((i * step).toPrecision(12)));
  all.push(end);
  return all;
}
