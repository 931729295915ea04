// The strip of decisions: a rule is a number line, and each request of the latest ones a mark on it.
import { clock, count, percent, short, text } from '../base/units.ts';
import { fitted, font, label, labelFrom } from '../draw/marks.ts';
import type { DecisionMark, SplitFrame } from '../generated/boundary.ts';
import { type DeciderAxis, deciderAxis, decisionPlace, WORDS } from './decider.ts';
import type { Box } from './layout.ts';
import type { Scene } from './scene.ts';

export function drawDecider(s: Scene, box: Box): void {
  const { pen, p, frame, layout } = s;
  const split = frame.split;
  if (!split) return;
  pen.fillStyle = p.line;
  pen.fillRect(0, box.y - 4, layout.width, 1);
  pen.font = font(p, 12, 600);
  label(pen, 'Decider', 12, box.y + 10, p.ink);
  const end = 12 + pen.measureText('Decider').width;
  pen.font = font(p, 11);
  labelFrom(pen, `last ${split.latest.length}`, end, box.x - 8, box.y + 10, p.ink3);
  const axis = deciderAxis(split, box);
  drawAxis(s, split, box, axis);
  for (const d of split.latest) drawDecision(s, box, axis, d);
  const chosen = split.latest.find((d) => d.request === s.request);
  if (chosen) drawChosen(s, box, axis, chosen);
  else drawShares(s, box);
}

function drawAxis(s: Scene, split: SplitFrame, box: Box, axis: DeciderAxis): void {
  const { pen, p } = s;
  const { name, uncached_tokens: edge } = split.decider;
  const at = axis.x(edge);
  if (edge > 0) {
    pen.fillStyle = p.voidHatch;
    pen.fillRect(box.x, box.y, at - box.x, axis.y - box.y);
    pen.fillStyle = p.ink;
    pen.fillRect(Math.round(at) - 1, box.y - 1, 1.5, axis.y - box.y + 4);
  }
  pen.fillStyle = p.lineStrong;
  pen.fillRect(box.x, axis.y, axis.right - box.x, 1);
  pen.font = font(p, 11);
  // The line from the chosen decision up passes between the words.
  const chosen = split.latest.find((d) => d.request === s.request);
  const line = chosen ? axis.x(chosen.uncached) : Number.NaN;
  const put = (words: string, x: number, right: number): void => {
    const end = x + pen.measureText(words).width;
    if (end + 4 > right || (line > x - 4 && line < end + 4)) return;
    label(pen, words, x, box.y + 8, p.ink3);
  };
  if (name !== 'threshold') put(name === 'always' ? 'always remote' : 'never remote', box.x + 4, axis.right);
  else if (edge > 0) {
    put('local: short', box.x + 4, at);
    put('remote: long', at + 5, axis.right);
  }
  drawTicks(s, axis, box, edge);
}

function drawTicks(s: Scene, axis: DeciderAxis, box: Box, edge: number): void {
  const { pen, p } = s;
  const y = axis.y + 12;
  const taken: [number, number][] = [];
  const put = (tokens: number, strong: boolean): void => {
    const words = strong ? count(tokens) : short(tokens);
    pen.font = font(p, 11, strong ? 600 : 400);
    const half = pen.measureText(words).width / 2;
    const x = Math.min(axis.right - half, Math.max(box.x + half, axis.x(tokens)));
    if (taken.some(([a, b]) => x - half - 8 < b && x + half + 8 > a)) return;
    taken.push([x - half, x + half]);
    label(pen, words, x, y, strong ? p.ink : p.ink3, 'center');
  };
  if (edge > 0) put(edge, true);
  put(axis.low, false);
  put(axis.high, false);
  for (let n = axis.low * 8; n < axis.high; n *= 8) put(n, false);
}

function drawDecision(s: Scene, box: Box, axis: DeciderAxis, d: DecisionMark): void {
  const { pen, p } = s;
  const [x, y] = decisionPlace(axis, box, d);
  const chosen = d.request === s.request;
  pen.beginPath();
  pen.arc(x, y, chosen ? 4 : 2.4, 0, Math.PI * 2);
  if (d.prefill !== undefined || chosen) {
    pen.fillStyle = chosen ? p.accent : p.ink3;
    pen.fill();
    return;
  }
  pen.fillStyle = p.surface;
  pen.fill();
  pen.strokeStyle = p.ink2;
  pen.lineWidth = 1;
  pen.stroke();
}

/** A decision in words: when, by what, and for whom. */
export function decisionWords(d: DecisionMark): readonly [string, string, string] {
  const where = d.prefill === undefined ? `local: home r${d.home}` : `remote: home r${d.home}, then r${d.prefill}`;
  return [`#${d.request} at ${clock(d.at_us)} s`, `${count(d.uncached)} of ${count(d.prompt_tokens)} uncached`, where];
}

function drawChosen(s: Scene, box: Box, axis: DeciderAxis, d: DecisionMark): void {
  const { pen, p } = s;
  const [x, y] = decisionPlace(axis, box, d);
  const from = axis.right + 10;
  pen.strokeStyle = p.accent;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.moveTo(x, y - 4);
  pen.lineTo(x, box.y - 0.5);
  pen.lineTo(from - 4, box.y - 0.5);
  pen.stroke();
  const [first, second, third] = decisionWords(d);
  pen.font = font(p, 11, 600);
  label(pen, fitted(pen, first, WORDS - 10), from, box.y + 8, p.accent);
  pen.font = font(p, 11);
  label(pen, fitted(pen, second, WORDS - 10), from, box.y + 22, p.ink2);
  label(pen, fitted(pen, third, WORDS - 10), from, box.y + 36, p.ink);
}

/** Without a chosen request: the shares of the window. */
function drawShares(s: Scene, box: Box): void {
  const { pen, p, written } = s;
  const decided = written.split?.decided;
  if (!decided) return;
  const from = box.x + box.w - WORDS + 10;
  pen.font = font(p, 11);
  label(pen, `${text(percent(decided.remote_share))} remote`, from, box.y + 15, p.ink2);
  label(pen, `${text(percent(decided.local_share))} local`, from, box.y + 29, p.ink2);
}
