// A field with a list of choices, which is loaded when the field is reached.
import { createSignal, type JSX, lazy, Show, Suspense } from 'solid-js';
import { byPointer } from '../../base/focus.ts';
import type { Json } from '../../base/json.ts';
import type { Field, Option } from '../../base/schema.ts';
import { awaitField } from '../../base/typedAhead.ts';
import { Icon } from '../../draw/glyphs.tsx';
import { SHORT } from '../parts/longLists.ts';

const loadLong = () => import('../parts/LongList.tsx');
const LongList = lazy(loadLong);

type Props = { id: string; field: Field; value: Json | undefined; onSet: (value: Json) => Promise<boolean> };

export function Choice(props: Props): JSX.Element {
  const options = (): readonly Option[] => (props.field.input.kind === 'choice' ? props.field.input.options : []);
  const [open, setOpen] = createSignal(false);
  let trigger: HTMLButtonElement | undefined;
  const current = (): string => (props.field.input.kind === 'choice' ? props.field.input.tag : '');
  const reached = (): void => void loadLong().catch(() => undefined);
  const search = (): void => {
    if (options().length > SHORT) awaitField('.long-list input');
    setOpen(true);
  };
  const close = (): void => {
    setOpen(false);
    trigger?.focus({ preventScroll: true });
  };
  return (
    <div class="select">
      <button
        type="button"
        ref={trigger}
        class="in w pick"
        id={props.id}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open()}
        aria-controls={`${props.id}-list`}
        aria-labelledby={`${props.id}-label`}
        onFocus={reached}
        onPointerEnter={reached}
        onClick={() => (open() ? setOpen(false) : search())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          search();
        }}
      >
        <span class="pick-text">{options().find((o) => o.tag === current())?.label ?? current()}</span>
        <Icon name="down" />
      </button>
      <Show when={open() && trigger}>
        {(at) => (
          <Suspense>
            <LongList
              id={`${props.id}-list`}
              label={props.field.label}
              options={options()}
              current={current()}
              at={at()}
              onClose={close}
              onChoose={(tag) => {
                const chosen = options().find((o) => o.tag === tag);
                close();
                if (byPointer()) trigger?.blur();
                if (chosen && tag !== current()) void props.onSet(chosen.value);
              }}
            />
          </Suspense>
        )}
      </Show>
    </div>
  );
}
