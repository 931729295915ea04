// Whether a guess was right: a sign and a word, never colour alone.
import type { JSX } from 'solid-js';

/** A disc with a tick, or an open square with a cross. */
export function RightSign(props: { readonly right: boolean }): JSX.Element {
  return (
    <svg
      class="right-sign"
      classList={{ 'is-right': props.right }}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {props.right ? (
        <>
          <circle cx="8" cy="8" r="7" />
          <path d="M4.500 8.300l2.500 2.500 4.700-5" />
        </>
      ) : (
        <>
          <rect x="1.500" y="1.500" width="13" height="13" rx="1" />
          <path d="M5 5l6 6M11 5l-6 6" />
        </>
      )}
    </svg>
  );
}

/** `right` null: the seeds do not agree on an answer. */
export function Outcome(props: {
  readonly right: boolean | null | undefined;
  readonly children: JSX.Element;
}): JSX.Element {
  return (
    <p class="ask-outcome" role="status">
      {props.right === null || props.right === undefined ? undefined : <RightSign right={props.right} />}
      <span>{props.children}</span>
    </p>
  );
}
