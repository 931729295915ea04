// The text that a frame was read from: whoever passes the frame on to another thread posts that, which costs less than its parts.

const texts = new WeakMap<object, string>();

export function keepText(frame: object, text: string): void {
  texts.set(frame, text);
}

export const textOf = (frame: object): string | undefined => texts.get(frame);
