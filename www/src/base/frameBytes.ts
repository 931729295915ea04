// The bytes that a frame was read from: whoever passes the frame on to another thread hands these over, which copies nothing.

const DECODER = new TextDecoder();
const kept = new WeakMap<object, Uint8Array>();

/** What JSON bytes say; they are kept for whoever passes it on. */
export function readFrame<T extends object>(bytes: Uint8Array): T {
  const frame: T = JSON.parse(DECODER.decode(bytes));
  kept.set(frame, bytes);
  return frame;
}

/** The bytes of a frame, for the first who asks. */
export function takeBytes(frame: object): Uint8Array | undefined {
  const bytes = kept.get(frame);
  kept.delete(frame);
  return bytes;
}
