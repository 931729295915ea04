// The bytes that a frame was parsed from. Passing a frame to another thread transfers these, without a copy.

const DECODER = new TextDecoder();
const kept = new WeakMap<object, Uint8Array>();

/** Parses JSON bytes, and keeps them for passing the frame on. */
export function readFrame<T extends object>(bytes: Uint8Array): T {
  const frame: T = JSON.parse(DECODER.decode(bytes));
  kept.set(frame, bytes);
  return frame;
}

/** The bytes of a frame, for the first caller. */
export function takeBytes(frame: object): Uint8Array | undefined {
  const bytes = kept.get(frame);
  kept.delete(frame);
  return bytes;
}
