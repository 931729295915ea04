// A part of the page whose code is loaded when it is opened. If that fails, such as without a network, it says so.
import { type Component, createSignal, type JSX, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';

export function LazyPart<Slices>(props: {
  /** The props of the part. */
  app: Slices;
  /** The name of the part in the message. */
  what: string;
  load: () => Promise<{ readonly default: Component<{ app: Slices }> }>;
}): JSX.Element {
  const [part, setPart] = createSignal<Component<{ app: Slices }>>();
  const [failed, setFailed] = createSignal(false);
  const load = (): void => {
    setFailed(false);
    props.load().then(
      (module) => setPart(() => module.default),
      () => setFailed(true),
    );
  };
  load();
  return (
    <Show
      when={part()}
      fallback={
        <Show when={failed()}>
          <div class="empty" role="alert">
            <p>{props.what} could not be loaded; check the network. Everything else works.</p>
            <button type="button" class="btn box" onClick={load}>
              Try again
            </button>
          </div>
        </Show>
      }
    >
      {(shown) => <Dynamic component={shown()} app={props.app} />}
    </Show>
  );
}
