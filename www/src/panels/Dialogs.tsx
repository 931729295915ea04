// Help, trace reading, the drop veil, and the notice above the transport.
import { Dialog } from '@ark-ui/solid/dialog';
import { createEffect, For, type JSX, onCleanup, Show } from 'solid-js';
import { Portal } from 'solid-js/web';
import { SHAPES } from '../base/anomalies.ts';
import { clock, count } from '../base/units.ts';
import { AnomalyGlyph, Icon } from '../draw/glyphs.tsx';
import type { Diagnostic } from '../generated/boundary.ts';
import type { App } from '../state/app.ts';
import { explain, type Notice } from '../state/notices.ts';
import { keysOf, SHORTCUTS } from '../state/shortcuts.ts';
import { save } from './save.ts';

const INFO_MS = 10_000;

export function HelpSheet(props: { app: App; keysOn: boolean; setKeysOn: (on: boolean) => void }): JSX.Element {
  return (
    <Sheet open={props.app.help()} onClose={() => props.app.setHelp(false)} title="Help">
      <p class="say">
        Requests arrive on the left, pass admission, are routed to a replica, wait (hollow), prefill (blue) and decode
        (green).
      </p>
      <p class="say">
        Change the arrival rate, routing, admission, the number of replicas, batch limits, KV blocks or the signal
        refresh while it runs: the edit becomes a flag on the timeline. Every other field starts the run again from the
        beginning.
      </p>
      <p class="say">
        Drop a request trace (Azure, BurstGPT or Vidur as CSV; Mooncake, Qwen-Bailian or RouteSim as JSON lines) or a
        scenario file anywhere. Nothing leaves this computer.
      </p>
      <h3>Anomalies on the timeline</h3>
      <dl class="shapes">
        <For each={SHAPES}>
          {(shape) => (
            <div>
              <dt>
                <AnomalyGlyph kind={shape.kind} /> {shape.name}
              </dt>
              <dd>{shape.meaning}</dd>
            </div>
          )}
        </For>
      </dl>
      <h3>Keyboard</h3>
      <dl class="keys">
        <For each={SHORTCUTS}>
          {(shortcut) => (
            <div>
              <dt>
                <kbd>{keysOf(shortcut)}</kbd>
              </dt>
              <dd>{shortcut.does}</dd>
            </div>
          )}
        </For>
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={props.keysOn}
          onChange={(event) => props.setKeysOn(event.currentTarget.checked)}
        />
        Single-key shortcuts
      </label>
    </Sheet>
  );
}

export function TraceDialog(props: { app: App }): JSX.Element {
  const close = (): void => {
    if (props.app.reading()?.done) props.app.setReading(undefined);
  };
  return (
    <Sheet
      open={props.app.reading() !== undefined}
      onClose={close}
      title={props.app.reading()?.done ? 'This trace cannot be used' : 'Reading the trace'}
    >
      <Show when={props.app.reading()}>
        {(reading) => (
          <>
            <p class="say">
              {reading().name}: {count(reading().read / 1024)} of {count(reading().size / 1024)} KiB
            </p>
            <progress max={Math.max(1, reading().size)} value={reading().read} aria-label="Read so far" />
            <Show when={reading().done}>
              <Problems list={reading().diagnostics} />
              <p class="say">The run that was going on still is.</p>
            </Show>
          </>
        )}
      </Show>
    </Sheet>
  );
}

export function Problems(props: { list: readonly Diagnostic[] }): JSX.Element {
  return (
    <ul class="problems">
      <For each={props.list.slice(0, 50)}>
        {(d) => <li classList={{ mild: d.severity === 'warning' }}>{explain(d)}</li>}
      </For>
      <Show when={props.list.length > 50}>
        <li>and {props.list.length - 50} more</li>
      </Show>
    </ul>
  );
}

function Sheet(props: { open: boolean; onClose: () => void; title: string; children: JSX.Element }): JSX.Element {
  return (
    <Dialog.Root open={props.open} onOpenChange={({ open }) => !open && props.onClose()} lazyMount unmountOnExit>
      <Portal>
        <Dialog.Backdrop class="veil" />
        <Dialog.Positioner class="sheet-place">
          <Dialog.Content class="sheet">
            <div class="sheet-head">
              <Dialog.Title class="sheet-title">{props.title}</Dialog.Title>
              <Dialog.CloseTrigger class="btn sq" aria-label="Close">
                <Icon name="close" />
              </Dialog.CloseTrigger>
            </div>
            {props.children}
          </Dialog.Content>
        </Dialog.Positioner>
      </Portal>
    </Dialog.Root>
  );
}

/** One line above the transport, over the page: it moves nothing. */
export function NoticeBar(props: { app: App }): JSX.Element {
  const app = props.app;
  // What went well goes by itself; what did not stays until it is dismissed.
  createEffect(() => {
    const notice = app.notice();
    if (notice?.kind !== 'info' || notice.diagnostics.length > 0) return;
    const timer = setTimeout(() => app.setNotice(undefined), INFO_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <Show when={app.notice()}>
      {(notice) => (
        <div class="notice" role="status" classList={{ bad: notice().kind !== 'info', long: isLong(notice()) }}>
          <div class="notice-text">{said(app)}</div>
          <Show when={crashOf(app)}>
            {(crash) => (
              <button type="button" class="btn box" onClick={() => save('reproduction.json', crash().scenario)}>
                Download the reproduction
              </button>
            )}
          </Show>
          <button type="button" class="btn sq" aria-label="Dismiss" onClick={() => app.setNotice(undefined)}>
            <Icon name="close" />
          </button>
        </div>
      )}
    </Show>
  );
}

/** Whether it has more to say than fits among the controls. */
function isLong(notice: Notice): boolean {
  return notice.kind === 'info' && notice.diagnostics.length > 0;
}

function crashOf(app: App) {
  const notice = app.notice();
  return notice?.kind === 'crash' ? notice.crash : undefined;
}

function said(app: App): JSX.Element {
  const notice = app.notice();
  if (notice?.kind === 'crash') {
    const { crash } = notice;
    const after = crash.recovered ? 'The same run was made again up to there.' : 'It could not be made again.';
    return `The simulation stopped at ${clock(crash.nowUs)} s (${crash.message}). ${after}`;
  }
  if (notice?.kind === 'info') {
    return (
      <>
        {notice.text}
        <Show when={notice.diagnostics.length > 0}>
          <Problems list={notice.diagnostics} />
        </Show>
      </>
    );
  }
  return notice?.text ?? '';
}
