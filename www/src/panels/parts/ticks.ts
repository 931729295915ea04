/** Round instants from 0 to `end`, about `most` of them. */
export function wholeTicks(end: number, most: number): readonly number[] {
  const rough = end / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  const all: number[] = [];
  for (let i = 0; i * step <= end; i += 1) all.push(Number((i * step).toPrecision(12)));
  return all;
}
