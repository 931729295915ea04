// The bytes that a frame or an answer was parsed from. Passing it to another thread transfers these, without a copy.

const DECODER = new TextDecoder();
const kept = new WeakMap<object, Uint8Array>();

/** Parses JSON bytes, and keeps them for passing the value on. */
export function readFrame<T>(bytes: Uint8Array): T {
  const frame: T = JSON.parse(DECODER.decode(bytes));
  if (typeof frame === 'object' && frame !== null) kept.set(frame, bytes);
  return frame;
}

/** The bytes of a frame, for the first caller. */
export function takeBytes(frame: object): Uint8Array | undefined {
  const bytes = kept.get(frame);
  kept.delete(frame);
  return bytes;
}
