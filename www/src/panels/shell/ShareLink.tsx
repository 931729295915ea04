// Parts of the dialog for sharing that show the link: its two forms, what is done with it, its length, its QR code.
import { createEffect, createMemo, For, type JSX, Show } from 'solid-js';
import { encode } from 'uqr';
import { count } from '../../base/units.ts';
import { Icon } from '../../draw/glyphs.tsx';
import {
  LINK_CHARS_CHAT,
  LINK_CHARS_FILE,
  LINK_CHARS_POST,
  LINK_CHARS_QR,
  type MadeLink,
} from '../../generated/boundary.ts';
import { save } from '../parts/save.ts';

/** Where links up to a length can be used. */
const LENGTHS: readonly (readonly [chars: number, what: string])[] = [
  [LINK_CHARS_POST, 'a post'],
  [LINK_CHARS_QR, 'QR code'],
  [LINK_CHARS_CHAT, 'a chat'],
  [LINK_CHARS_FILE, 'file instead'],
];
/** Right end of the scale of lengths. */
const SCALE_CHARS = 5000;

export type Form = 'readable' | 'packed';

/** The two forms of a link: a readable one of plain values, and a compact one. */
export function Forms(props: {
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
export function LinkButtons(props: {
  /** Whether there is a link. */
  ready: boolean;
  /** The link, and the same as Markdown, with what was typed last. */
  url: () => Promise<string>;
  markdown: () => Promise<string>;
  title: () => string;
  /** Whether the link is too long for chats; the file then comes first. */
  long: boolean;
  onCopy: (text: Promise<string>, what: string) => void;
  onSave: () => void;
}): JSX.Element {
  const passOn = async (): Promise<void> => {
    const url = await props.url();
    await navigator.share({ title: props.title(), url }).catch(() => {});
  };
  return (
    <div class="share-buttons">
      <button
        type="button"
        class={props.long ? 'btn box' : 'btn pri'}
        disabled={!props.ready}
        onClick={() => props.onCopy(props.url(), 'Link')}
      >
        <Icon name="copy" />
        Copy link
      </button>
      <button
        type="button"
        class="btn box"
        disabled={!props.ready}
        onClick={() => props.onCopy(props.markdown(), 'Markdown')}
      >
        Copy as Markdown
      </button>
      <button type="button" class={props.long ? 'btn pri' : 'btn box'} onClick={props.onSave}>
        Save file
      </button>
      <Show when={'share' in navigator && matchMedia('(pointer: coarse)').matches}>
        <button type="button" class="btn box" disabled={!props.ready} onClick={() => void passOn()}>
          Share…
        </button>
      </Show>
    </div>
  );
}

/** The length of the link on a scale of places where it can be used. */
export function Lengths(props: { chars: number }): JSX.Element {
  const at = (chars: number): string => `${100 * Math.sqrt(Math.min(chars, SCALE_CHARS) / SCALE_CHARS)}%`;
  return (
    <div class="lengths" aria-hidden="true">
      <div class="lengths-bar" ref={(el) => createEffect(() => (el.style.width = at(props.chars)))} />
      <span class="lengths-knob" ref={(el) => createEffect(() => (el.style.left = at(props.chars)))} />
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

type Code = ReturnType<typeof encode>;

const codeOf = (text: string): Code | undefined =>
  text !== '' && text.length <= LINK_CHARS_QR ? encode(text, { border: 4 }) : undefined;

const pathOf = (code: Code | undefined): string =>
  (code?.data ?? []).flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');

const svgOf = (code: Code): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${code.size} ${code.size}"><path fill="#fff" d="M0 0h${code.size}v${code.size}H0z"/><path d="${pathOf(code)}"/></svg>\n`;

/** `settled`: the text with what was typed last, for the files. */
export function Qr(props: { text: string; settled: () => Promise<string> }): JSX.Element {
  const code = createMemo(() => codeOf(props.text));
  const box = (): string => `0 0 ${code()?.size ?? 1} ${code()?.size ?? 1}`;
  const keep = async (as: (code: Code) => void): Promise<void> => {
    const last = codeOf(await props.settled());
    if (last) as(last);
  };
  return (
    <div class="share-qr">
      <Show
        when={code()}
        fallback={<p class="share-no-qr s">{props.text === '' ? '' : 'Too long for a QR code that a camera reads'}</p>}
      >
        <svg class="qr" role="img" aria-label="QR code of the link" viewBox={box()} shape-rendering="crispEdges">
          <path d={pathOf(code())} />
        </svg>
        <div class="share-buttons">
          <button
            type="button"
            class="btn box"
            onClick={() => void keep((last) => save('tokenyard-link.svg', svgOf(last), 'image/svg+xml'))}
          >
            Save SVG
          </button>
          <button type="button" class="btn box" onClick={() => void keep((last) => savePng(last.data))}>
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
