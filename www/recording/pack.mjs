// Packs frames and columns for src/sim/recorded.ts, which unpacks them: each as its difference from the one before.

/** A frame in parts: strings, numbers and words whole, every other sign for itself. */
export const tokensOf = (text) => text.match(/"(?:[^"\\]|\\.)*"|[\w.+-]+|[^\w.+-]/g) ?? [];

const isCount = (token) => /^(0|-?[1-9]\d{0,14})$/.test(token);

/** The shortest way from one list of parts to another (Myers 1986): `=` keeps a part, `-` drops it, `+` puts in the next one. */
function way(before, after) {
  const most = before.length + after.length;
  const furthest = new Int32Array(2 * most + 3);
  const seen = [];
  for (let changes = 0; changes <= most; changes++) {
    seen.push(furthest.slice(most - changes, most + changes + 3));
    for (let at = -changes; at <= changes; at += 2) {
      const puts = at === -changes || (at !== changes && furthest[most + at] < furthest[most + at + 2]);
      let x = puts ? furthest[most + at + 2] : furthest[most + at] + 1;
      while (x < before.length && x - at < after.length && before[x] === after[x - at]) x++;
      furthest[most + at + 1] = x;
      if (x >= before.length && x - at >= after.length) return back(seen, before.length, after.length);
    }
  }
  return [];
}

function back(seen, length, lengthAfter) {
  const steps = [];
  let [x, y] = [length, lengthAfter];
  for (let changes = seen.length - 1; changes > 0; changes--) {
    const furthest = (at) => seen[changes][at + changes + 1];
    const at = x - y;
    const puts = at === -changes || (at !== changes && furthest(at - 1) < furthest(at + 1));
    const from = puts ? furthest(at + 1) : furthest(at - 1) + 1;
    while (x > from) {
      steps.push('=');
      x--;
      y--;
    }
    steps.push(puts ? '+' : '-');
    if (puts) y--;
    else x--;
  }
  while (x-- > 0) steps.push('=');
  return steps.reverse();
}

/**
 * The difference of two frames: how many parts stay, then what comes in place of the next ones, and so on. A whole number that is
 * another one is the distance to it; everything else is how many parts go, and the text in their place.
 */
export function difference(before, after) {
  const steps = way(before, after);
  const packed = [];
  let [i, j, stays, k] = [0, 0, 0, 0];
  while (k < steps.length) {
    if (steps[k] === '=') {
      [i, j, stays, k] = [i + 1, j + 1, stays + 1, k + 1];
      continue;
    }
    const [from, into] = [i, j];
    for (; k < steps.length && steps[k] !== '='; k++) steps[k] === '-' ? i++ : j++;
    const [gone, come] = [before.slice(from, i), after.slice(into, j)];
    const counts = gone.length === 1 && come.length === 1 && isCount(gone[0]) && isCount(come[0]);
    packed.push(stays, counts ? Number(come[0]) - Number(gone[0]) : [gone.length, come.join('')]);
    stays = 0;
  }
  return packed;
}

/** The difference of two columns: how many values stay, how many after those go, and the values in their place. */
export function columnDifference(before, after) {
  const most = Math.min(before.length, after.length);
  let stay = 0;
  while (stay < most && Object.is(before[stay], after[stay])) stay++;
  let end = 0;
  while (end < most - stay && Object.is(before[before.length - 1 - end], after[after.length - 1 - end])) end++;
  const values = [...after.slice(stay, after.length - end)].map((value) => (Number.isNaN(value) ? null : value));
  if (values.some((value) => value !== null && (!Number.isFinite(value) || Object.is(value, -0))))
    throw new Error('a column has a value that JSON can not hold');
  return [stay, before.length - stay - end, ...values];
}
