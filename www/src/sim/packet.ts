// Questions and answers between the page and its modules: JSON text, and beside it the bytes that it names by number,
// which as JSON would be four times as long.
import { readFrame } from '../base/frameBytes.ts';

/** A question as a module takes it: of one kind, with what it needs to know. */
export type AskedText = { readonly question: string; readonly named: readonly Uint8Array[] };

/** A question, or the page's compiled module for a thread that answers in that. */
export type ToDesk = ({ readonly id: number } & AskedText) | { readonly module: WebAssembly.Module };

/** An answer as a module gives it: the bytes of JSON text, then those that this names. */
export type AnswerBytes = readonly Uint8Array<ArrayBuffer>[];

/** What a caller may pass for a type of the boundary. */
export type Given<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer E)[]
    ? readonly Given<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Given<T[K]> | (Record<never, never> extends Pick<T, K> ? undefined : never) }
      : T;

/** What a question of a kind needs to know, from the union of questions. */
export type QueryOf<Q, K extends PropertyKey> = K extends PropertyKey
  ? Q extends Readonly<Record<K, infer Query>>
    ? Given<Query>
    : never
  : never;

export function askedText(question: unknown): AskedText {
  const named: Uint8Array[] = [];
  const text = JSON.stringify(question, (_, value) =>
    value instanceof Uint8Array ? { attached: named.push(value) - 1 } : value,
  );
  return { question: text, named };
}

/** The answer; an object is kept with its bytes, which passing it on transfers. */
export function answerOf<A>([json = new Uint8Array(), ...named]: AnswerBytes): A {
  if (named.length === 0) return readFrame<A>(json);
  return JSON.parse(new TextDecoder().decode(json), (_, value) => named[value?.attached] ?? value);
}
