import { expect, test } from 'vitest';
import { chartCsv, crc32, fileName, withTexts } from './saveChart.ts';
import { svgPen } from './svgPen.ts';

const ABOUT = {
  title: 'TTFT over time',
  run: 'chat-4xh100',
  span: '0 to 48 s',
  link: 'https://x.example/#chat-4xh100',
};
const measure = (text: string): number => 6 * text.length;

test('columns are written under comments that name chart, run, span and link', () => {
  const data = { names: ['t_s', 'p99_ms'], columns: [Float64Array.of(0.5, 1.5), Float64Array.of(12.25, Number.NaN)] };
  expect(chartCsv(ABOUT, data)).toBe(
    '# TTFT over time\n# chat-4xh100\n# 0 to 48 s\n# https://x.example/#chat-4xh100\nt_s,p99_ms\n0.5,12.25\n1.5,\n',
  );
});

test('a file is named after the run and the chart', () => {
  expect(fileName(ABOUT, 'svg')).toBe('chat-4xh100-ttft-over-time.svg');
  expect(fileName({ ...ABOUT, run: '', title: '…' }, 'csv')).toBe('chart.csv');
});

test('the check of a chunk is that of PNG', () => {
  // The last chunk of every PNG: no data.
  expect(crc32(new TextEncoder().encode('IEND')).toString(16)).toBe('ae426082');
});

test('texts go between the header and the rest of a PNG, each with its length and check', () => {
  const png = Uint8Array.from({ length: 40 }, (_, i) => i);
  const out = withTexts(png, { Title: 'é' });
  const data = new TextEncoder().encode('iTXtTitle\0\0\0\0\0é');
  expect([...out.subarray(0, 33)]).toEqual([...png.subarray(0, 33)]);
  expect(new DataView(out.buffer).getUint32(33)).toBe(data.length - 4);
  expect([...out.subarray(37, 37 + data.length)]).toEqual([...data]);
  expect(new DataView(out.buffer).getUint32(37 + data.length)).toBe(crc32(data));
  expect([...out.subarray(-7)]).toEqual([...png.subarray(33)]);
});

test('the pen writes what it draws: paths, dashes, opacity, text', () => {
  const { pen, body } = svgPen(measure);
  pen.strokeStyle = '#abc';
  pen.lineWidth = 2;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(1, 2);
  pen.lineTo(3.456, 4);
  pen.stroke();
  pen.globalAlpha = 0.5;
  pen.fillStyle = 'red';
  pen.fillRect(10, 10, -4, 2);
  pen.globalAlpha = 1;
  pen.font = '600 11px Inter, sans-serif';
  pen.textAlign = 'right';
  pen.fillText('a < b', 5, 6);
  expect(body()).toBe(
    '<path d="M1 2L3.46 4" fill="none" stroke="#abc" stroke-width="2" stroke-dasharray="4 3"/>' +
      '<rect x="6" y="10" width="4" height="2" fill="red" opacity="0.5"/>' +
      '<text x="5" y="6" font-family="Inter, sans-serif" font-size="11" font-weight="600" text-anchor="end" textLength="30" lengthAdjust="spacingAndGlyphs" fill="red">a &lt; b</text>',
  );
  expect(pen.measureText('abc').width).toBe(18);
});

test('what is saved is restored: styles, transforms and clips', () => {
  const { pen, body } = svgPen(measure);
  pen.fillStyle = 'blue';
  pen.save();
  pen.beginPath();
  pen.rect(0, 0, 10, 10);
  pen.clip();
  pen.translate(5, 6);
  pen.fillStyle = 'red';
  pen.fillRect(0, 0, 1, 1);
  pen.restore();
  pen.fillRect(2, 2, 1, 1);
  expect(body()).toBe(
    '<defs><clipPath id="clip-0"><path d="M0 0h10v10h-10Z"/></clipPath></defs>' +
      '<g clip-path="url(#clip-0)"><rect x="0" y="0" width="1" height="1" fill="red" transform="matrix(1 0 0 1 5 6)"/></g>' +
      '<rect x="2" y="2" width="1" height="1" fill="blue"/>',
  );
});

test('a circle is two arcs, a quarter is one', () => {
  const { pen, body } = svgPen(measure);
  pen.fillStyle = 'red';
  pen.beginPath();
  pen.arc(10, 10, 2, 0, 2 * Math.PI);
  pen.fill();
  pen.beginPath();
  pen.arc(0, 0, 2, 0, Math.PI / 2);
  pen.fill();
  expect(body()).toBe(
    '<path d="M12 10A2 2 0 1 1 8 10A2 2 0 1 1 12 10Z" fill="red"/><path d="M2 0A2 2 0 0 1 0 2" fill="red"/>',
  );
});
