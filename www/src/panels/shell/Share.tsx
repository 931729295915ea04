// The dialog for sharing: the link and its contents, a QR code, a file if the link is too long, and the code of an
// embedded run.
import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from 'solid-js';
import { encode } from 'uqr';
import { getAt } from '../../base/json.ts';
import { writeDocument } from '../../base/text.ts';
import { count } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import {
  LINK_CHARS_CHAT,
  LINK_CHARS_FILE,
  LINK_CHARS_POST,
  LINK_CHARS_QR,
  type MadeLink,
} from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { besides, type NamedRun } from '../../state/namedRuns.ts';
import { Sheet } from '../parts/Sheet.tsx';
import { save } from '../parts/save.ts';
import './share.css';

/** Where links up to a length can be used. */
const LENGTHS: readonly (readonly [chars: number, what: string])[] = [
  [LINK_CHARS_POST, 'a post'],
  [LINK_CHARS_QR, 'QR code'],
  [LINK_CHARS_CHAT, 'a chat'],
  [LINK_CHARS_FILE, 'file instead'],
];
/** Right end of the scale of lengths. */
const SCALE_CHARS = 5000;
const FRAME = { width: 800, height: 450 };

type Form = 'readable' | 'packed';

export default function Share(props: { app: Pick<App, 'document' | 'links'> }): JSX.Element {
  const { links } = props.app;
  const [made, setMade] = createSignal<MadeLink | null>();
  const [frame, setFrame] = createSignal('');
  const [failed, setFailed] = createSignal(false);
  const [withView, setWithView] = createSignal(true);
  const others = (): readonly NamedRun[] => {
    const { all, shown } = props.app.document.namedRuns();
    return all.filter((run) => run.id !== shown);
  };
  const [besideId, setBesideId] = createSignal(besides(props.app.document.namedRuns())?.id);
  const [form, setForm] = createSignal<Form>();
  const [done, setDone] = createSignal('');

  createEffect(
    on([withView, besideId], ([view, id]) => {
      setFailed(false);
      const beside = others().find((run) => run.id === id);
      links.make({ withView: view, beside }).then(setMade, () => setFailed(true));
      const embedded = links.make({ withView: view, embed: ['ttft-over-time'] });
      embedded.then((link) => setFrame(link ? frameCode(link.link, title()) : '')).catch(() => setFrame(''));
    }),
  );
  const title = (): string => String(getAt(props.app.document.current(), 'title') ?? '') || 'A run on Tokenyard';
  const shown = createMemo(() => {
    const link = made();
    if (!link) return '';
    if (form() === 'packed') return link.packed;
    return form() === 'readable' && link.readable !== null ? link.readable : link.link;
  });
  const isForm = (which: Form): boolean => (which === 'packed') === (shown() === made()?.packed);
  const url = (): string => (shown() === '' ? '' : address() + shown());
  const long = (): boolean => made() === null || url().length > LINK_CHARS_FILE;

  const copy = (text: string, what: string): void => {
    navigator.clipboard.writeText(text).then(
      () => setDone(`${what} copied.`),
      () => setDone('The browser did not allow copying: select the text and copy it by hand.'),
    );
  };
  const saveFile = (): void => save('scenario.json', `${writeDocument(props.app.document.current(), 2)}\n`);
  const markdown = (): string => `[${escaped(title())}](${url()}): ${made()?.contains ?? ''}`;

  return (
    <Sheet
      open
      large
      onClose={() => links.setSharing(false)}
      title="Share this run"
      aside="opens and runs in any browser, with the same digest"
    >
      <Show
        when={!failed()}
        fallback={
          <div role="alert">
            <p class="say">
              The code for links could not be loaded; check the network. The file has the same contents.
            </p>
            <button type="button" class="btn pri" onClick={saveFile}>
              Save file
            </button>
          </div>
        }
      >
        <div class="share-top">
          <div class="share-link">
            <div class="share-head">
              <Forms made={made()} isForm={isForm} onForm={setForm} />
              <span class="grow" />
              <span class="share-length">
                <b>{count(url().length)}</b> characters
              </span>
            </div>
            <textarea
              class="share-url"
              aria-label="Link"
              readonly
              rows="4"
              value={url() || (made() === null ? 'Too long for a link: share the file.' : 'Making the link…')}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Lengths chars={url().length} />
            <Show when={long()}>
              <p class="say warn">Too long for chats and mails. Share the file: it opens when dropped on the page.</p>
            </Show>
            <LinkButtons
              url={url()}
              title={title()}
              long={long()}
              onCopy={copy}
              markdown={markdown}
              onSave={saveFile}
            />
          </div>
          <Qr text={url()} />
        </div>
        <p class="visually-hidden" role="status">
          {done()}
        </p>
        <Show when={done()}>{(text) => <p class="share-done">{text()}</p>}</Show>
        <div class="share-head">
          <h3>What the link holds</h3>
          <span class="grow" />
          <span class="s">no results: they are computed again</span>
        </div>
        <dl class="share-holds">
          <For each={made()?.holds ?? []}>
            {(holding) => (
              <div>
                <dt>{holding.part}</dt>
                <dd>{holding.text}</dd>
              </div>
            )}
          </For>
        </dl>
        <label class="check">
          <input type="checkbox" checked={withView()} onChange={(event) => setWithView(event.currentTarget.checked)} />
          With instant, speed, selection and open panel
        </label>
        <Show when={others().length > 0}>
          <label class="check">
            Second run in the link
            <select
              class="in"
              value={besideId() ?? ''}
              onChange={(event) =>
                setBesideId(event.currentTarget.value === '' ? undefined : Number(event.currentTarget.value))
              }
            >
              <option value="">none</option>
              <For each={others()}>{(run) => <option value={run.id}>{run.name}</option>}</For>
            </select>
          </label>
        </Show>
        <Show when={frame()}>{(code) => <EmbedCode code={code()} onCopy={copy} />}</Show>
      </Show>
    </Sheet>
  );
}

/** The two forms of a link: a readable one of plain values, and a compact one. */
function Forms(props: {
  made: MadeLink | null | undefined;
  isForm: (form: Form) => boolean;
  onForm: (form: Form) => void;
}): JSX.Element {
  return (
    <fieldset class="seg" aria-label="Form of the link">
      <button
        type="button"
        aria-pressed={props.isForm('readable')}
        disabled={!props.made?.readable}
        title={props.made?.readable ? undefined : 'Only links with a few plain values have a readable form'}
        onClick={() => props.onForm('readable')}
      >
        Readable
      </button>
      <button
        type="button"
        aria-pressed={props.isForm('packed')}
        disabled={!props.made}
        onClick={() => props.onForm('packed')}
      >
        Compact
      </button>
    </fieldset>
  );
}

/** Actions on the link: copy it, save it as a file, or pass it to the system's share dialog. */
function LinkButtons(props: {
  url: string;
  title: string;
  /** Whether the link is too long for chats; the file then comes first. */
  long: boolean;
  markdown: () => string;
  onCopy: (text: string, what: string) => void;
  onSave: () => void;
}): JSX.Element {
  return (
    <div class="share-buttons">
      <button
        type="button"
        class={props.long ? 'btn box' : 'btn pri'}
        disabled={props.url === ''}
        onClick={() => props.onCopy(props.url, 'Link')}
      >
        <Icon name="copy" />
        Copy link
      </button>
      <button
        type="button"
        class="btn box"
        disabled={props.url === ''}
        onClick={() => props.onCopy(props.markdown(), 'Markdown')}
      >
        Copy as Markdown
      </button>
      <button type="button" class={props.long ? 'btn pri' : 'btn box'} onClick={props.onSave}>
        Save file
      </button>
      <Show when={'share' in navigator && matchMedia('(pointer: coarse)').matches}>
        <button
          type="button"
          class="btn box"
          disabled={props.url === ''}
          onClick={() => void navigator.share({ title: props.title, url: props.url }).catch(() => {})}
        >
          Share…
        </button>
      </Show>
    </div>
  );
}

/** The code that embeds the run in another page. */
function EmbedCode(props: { code: string; onCopy: (text: string, what: string) => void }): JSX.Element {
  return (
    <div class="share-embed">
      <div class="share-head">
        <h3>Embed</h3>
        <span class="s">
          stage, TTFT and transport, {FRAME.width} × {FRAME.height} px
        </span>
        <span class="grow" />
        <button type="button" class="btn box" onClick={() => props.onCopy(props.code, 'Code')}>
          Copy code
        </button>
      </div>
      <textarea
        class="share-url"
        aria-label="Code that embeds the run"
        readonly
        rows="3"
        value={props.code}
        onFocus={(event) => event.currentTarget.select()}
      />
    </div>
  );
}

/** The length of the link on a scale of places where it can be used. */
function Lengths(props: { chars: number }): JSX.Element {
  const at = (chars: number): string => `${100 * Math.sqrt(Math.min(chars, SCALE_CHARS) / SCALE_CHARS)}%`;
  return (
    <div class="lengths" aria-hidden="true">
      <div class="lengths-bar" ref={(el) => createEffect(() => (el.style.width = at(props.chars)))} />
      <For each={LENGTHS}>
        {([chars, what]) => (
          <span
            class="lengths-mark"
            classList={{ past: props.chars > chars }}
            ref={(el) => (el.style.left = at(chars))}
          >
            {count(chars)}
            <span>{what}</span>
          </span>
        )}
      </For>
    </div>
  );
}

function Qr(props: { text: string }): JSX.Element {
  const code = createMemo(() =>
    props.text !== '' && props.text.length <= LINK_CHARS_QR ? encode(props.text, { border: 4 }) : undefined,
  );
  const path = createMemo(() =>
    (code()?.data ?? []).flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join(''),
  );
  const box = (): string => `0 0 ${code()?.size ?? 1} ${code()?.size ?? 1}`;
  const svg = (): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box()}"><path fill="#fff" d="M0 0h${code()?.size}v${code()?.size}H0z"/><path d="${path()}"/></svg>\n`;
  return (
    <div class="share-qr">
      <Show
        when={code()}
        fallback={<p class="share-no-qr s">{props.text === '' ? '' : 'Too long for a QR code that a camera reads'}</p>}
      >
        <svg class="qr" role="img" aria-label="QR code of the link" viewBox={box()} shape-rendering="crispEdges">
          <path d={path()} />
        </svg>
        <div class="share-buttons">
          <button type="button" class="btn box" onClick={() => save('tokenyard-link.svg', svg(), 'image/svg+xml')}>
            Save SVG
          </button>
          <button type="button" class="btn box" onClick={() => savePng(code()?.data ?? [])}>
            PNG
          </button>
        </div>
      </Show>
    </div>
  );
}

/** Pixels per module of the QR code. */
const MODULE_PX = 8;

function savePng(data: readonly (readonly boolean[])[]): void {
  const canvas = document.createElement('canvas');
  canvas.width = data.length * MODULE_PX;
  canvas.height = canvas.width;
  const pen = canvas.getContext('2d');
  if (!pen) return;
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = '#000';
  for (const [y, row] of data.entries())
    for (const [x, dark] of row.entries()) if (dark) pen.fillRect(x * MODULE_PX, y * MODULE_PX, MODULE_PX, MODULE_PX);
  canvas.toBlob((blob) => {
    if (blob) save('tokenyard-link.png', blob, 'image/png');
  });
}

/** The address of this page. */
function address(): string {
  return location.origin + location.pathname + location.search;
}

/** A text with the special characters of Markdown escaped. */
function escaped(text: string): string {
  return text.replace(/[\\[\]<>*_`]/g, '\\$&');
}

function frameCode(link: string, title: string): string {
  const name = title.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<iframe src="${address()}${link}" width="${FRAME.width}" height="${FRAME.height}" title="${name}"></iframe>`;
}
