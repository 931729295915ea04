// An animated WebP from pictures: Chromium compresses each, this file combines them. Format: RFC 9649.

const number = (value, bytes) => Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
const letters = (text) => new TextEncoder().encode(text);

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A chunk; one of odd length gets a padding byte. */
function chunk(name, parts) {
  const body = joined(parts);
  return joined([letters(name), number(body.length, 4), body, new Uint8Array(body.length % 2)]);
}

/** The chunks of a still picture with one of the names. */
function chunks(still, names) {
  const view = new DataView(still.buffer, still.byteOffset, still.byteLength);
  const found = [];
  for (let at = 12; at < still.length; ) {
    const name = String.fromCharCode(...still.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    const end = at + 8 + length + (length % 2);
    if (names.includes(name)) found.push(still.subarray(at, end));
    at = end;
  }
  return joined(found);
}

/**
 * `frames` have a place (even numbers), a size, a duration in milliseconds, and two still WebPs: the transparency of
 * `shape` with the `colours` of the other is drawn over the previous frames.
 */
export function animation(width, height, frames) {
  const REPEATED_AND_TRANSPARENT = 0x12;
  const parts = [
    letters('WEBP'),
    chunk('VP8X', [number(REPEATED_AND_TRANSPARENT, 4), number(width - 1, 3), number(height - 1, 3)]),
    chunk('ANIM', [number(0xff000000, 4), number(0, 2)]),
    ...frames.map(({ x, y, w, h, ms, shape, colours }) =>
      chunk('ANMF', [
        ...[x / 2, y / 2, w - 1, h - 1, ms].map((value) => number(value, 3)),
        number(0, 1),
        chunks(shape, ['ALPH']),
        chunks(colours, ['VP8 ']),
      ]),
    ),
  ];
  return chunk('RIFF', parts);
}
