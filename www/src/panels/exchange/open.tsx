// Opens the dialogs of configuration of other programs. Loaded with the first one.
import { createRoot, createSignal, lazy, Match, Suspense, Switch } from 'solid-js';
import { render } from 'solid-js/web';
import type { NamedText } from '../../sim/exchangeTypes.ts';
import type { App } from '../../state/app.ts';
import type { Exchange, OpenedTable, OpenedTrace } from '../../state/files/exchange.ts';
import { Import } from './Import.tsx';

const Export = lazy(() => import('./Export.tsx'));
const TraceColumns = lazy(() => import('./TraceColumns.tsx'));
const TraceInspector = lazy(() => import('./TraceInspector.tsx'));

const [shown, setShown] = createSignal<Exchange['kind']>();
const [trace, setTrace] = createSignal<OpenedTrace>();
const [table, setTable] = createSignal<OpenedTable>();
const [texts, setTexts] = createSignal<readonly NamedText[]>([]);
let begun = false;

export function openExchange(app: App, asked: Exchange): void {
  setTexts(asked.kind === 'import' ? asked.texts : []);
  setTrace(asked.kind === 'trace' ? asked.trace : undefined);
  setTable(asked.kind === 'columns' ? asked.columns : undefined);
  setShown(asked.kind);
  if (begun) return;
  begun = true;
  const host = document.createElement('div');
  document.body.append(host);
  const close = (): void => void setShown(undefined);
  createRoot(() => {
    render(
      () => (
        <Switch>
          <Match when={shown() === 'import'}>
            <Import app={app} texts={texts} onClose={close} />
          </Match>
          <Match when={shown() === 'export'}>
            <Suspense>
              <Export app={app} onClose={close} />
            </Suspense>
          </Match>
          <Match when={shown() === 'trace' && trace()} keyed>
            {(opened) => (
              <Suspense>
                <TraceInspector app={app} trace={opened} onClose={close} />
              </Suspense>
            )}
          </Match>
          <Match when={shown() === 'columns' && table()} keyed>
            {(opened) => (
              <Suspense>
                <TraceColumns opened={opened} onClose={close} />
              </Suspense>
            )}
          </Match>
        </Switch>
      ),
      host,
    );
  });
}
