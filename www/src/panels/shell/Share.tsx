// The dialog for sharing: the link and its contents, title and note, a QR code, a file if the link is too long, and the
// code of an embedded run.
import { batch, createEffect, createMemo, createSignal, type JSX, Match, on, onCleanup, Show, Switch } from 'solid-js';
import { getAt } from '../../base/json.ts';
import { createLatest } from '../../base/latest.ts';
import { writeDocument } from '../../base/text.ts';
import { count } from '../../base/units.ts';
import { LINK_CHARS_FILE, type LinkResult, type MadeLink } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { type SharePart, setSharePart, sharePart } from '../../state/links/sharePart.ts';
import { besides, type NamedRun } from '../../state/run/namedRuns.ts';
import { underWords, wordsOf } from '../../state/run/runState.ts';
import { copyText } from '../parts/copyText.ts';
import { Segments } from '../parts/Segments.tsx';
import { Sheet } from '../parts/Sheet.tsx';
import { save } from '../parts/save.ts';
import { EmbedCode } from './ShareEmbed.tsx';
import { ShareFiles } from './ShareFiles.tsx';
import { type FreePart, Holds } from './ShareHolds.tsx';
import { type Form, Forms, Lengths, LinkButtons, Qr } from './ShareLink.tsx';
import { ShareRequest } from './ShareRequest.tsx';
import { TITLE_CHARS } from './TitleField.tsx';
import './share.css';

type Slices = Pick<App, 'document' | 'links' | 'transport' | 'selection'>;

/** The link of the run on screen with the parts that are ticked. */
function createLink(app: Slices) {
  const [made, setMade] = createSignal<MadeLink | null>();
  const [failed, setFailed] = createSignal(false);
  const latest = createLatest<MadeLink | null>(setMade, () => setFailed(true));
  const [result, setResult] = createSignal<LinkResult>();
  /** The result is asked for once, so that the first link that is shown has it. */
  const [ready, setReady] = createSignal(false);
  const others = (): readonly NamedRun[] => {
    const { all, shown } = app.document.namedRuns();
    return all.filter((run) => run.id !== shown);
  };
  const [besideId, setBesideId] = createSignal(besides(app.document.namedRuns())?.id);
  const [left, setLeft] = createSignal<readonly FreePart[]>([]);
  const has = (part: FreePart): boolean => !left().includes(part);
  const ticks = createMemo((): ReadonlyMap<FreePart, boolean> => {
    const all: readonly (readonly [FreePart, boolean])[] = [
      ['View', has('View')],
      ...(result() ? [['Result', has('View') && has('Result')] as const] : []),
      ['Words', has('Words')],
      ...(others().length > 0 ? [['Second run', has('Second run')] as const] : []),
    ];
    return new Map(all);
  });
  const shared = () => {
    const { current, original } = app.document;
    return has('Words') ? current() : underWords(current(), wordsOf(original()));
  };
  app.links
    .result()
    .then(setResult, () => setResult(undefined))
    .finally(() => setReady(true));
  createEffect(
    on([ready, ticks, besideId, shared], ([isReady, parts, id, document]) => {
      if (!isReady) return;
      setFailed(false);
      const beside = parts.get('Second run') ? others().find((run) => run.id === id) : undefined;
      const withView = parts.get('View') ?? false;
      latest.take(app.links.make({ withView, beside, document, result: parts.get('Result') ? result() : undefined }));
    }),
  );
  const tick = (part: FreePart, on: boolean): void =>
    void batch(() => {
      setLeft((now) => (on ? now.filter((one) => one !== part) : [...now, part]));
      // A result is that of the instant of the view.
      if (on && part === 'Result') setLeft((now) => now.filter((one) => one !== 'View'));
    });
  return { made, settled: latest.settled, failed, others, besideId, setBesideId, ticks, tick };
}

const ASIDES: Readonly<Record<SharePart, string>> = {
  link: 'opens and runs in any browser, with the same digest',
  files: 'the same bytes as the command line writes',
  request: 'its link, its sentence, its picture, its place in a trace',
};

export default function Share(props: { app: Slices }): JSX.Element {
  onCleanup(() => setSharePart('link'));
  const parts = createMemo((): readonly (readonly [SharePart, string])[] => {
    const { request } = props.app.selection.selected();
    return [
      ['link', 'Link'],
      ['files', 'Files'],
      ...(request === undefined ? [] : [['request', `Request #${request}`] as const]),
    ];
  });
  return (
    <Sheet
      open
      large
      onClose={() => props.app.links.setSharing(false)}
      title="Share this run"
      aside={ASIDES[sharePart()]}
    >
      <Segments
        label="What to share"
        class="share-parts"
        options={parts()}
        chosen={sharePart()}
        onChoose={setSharePart}
      />
      <Switch fallback={<ShareLink app={props.app} />}>
        <Match when={sharePart() === 'files'}>
          <ShareFiles app={props.app} />
        </Match>
        <Match when={sharePart() === 'request'}>
          <ShareRequest app={props.app} />
        </Match>
      </Switch>
    </Sheet>
  );
}

/** The link, its contents, and the code of an embedded run. */
function ShareLink(props: { app: Slices }): JSX.Element {
  const { document } = props.app;
  const { made, settled, failed, ...parts } = createLink(props.app);
  const [form, setForm] = createSignal<Form>();
  const [done, setDone] = createSignal('');
  const title = (): string => String(getAt(document.current(), 'title') ?? '') || 'A run on Tokenyard';
  const inForm = (link: MadeLink | null | undefined): string => {
    if (!link) return '';
    if (form() === 'packed') return link.packed;
    return form() === 'readable' && link.readable !== null ? link.readable : link.link;
  };
  const shown = createMemo(() => inForm(made()));
  const isForm = (which: Form): boolean => (which === 'packed') === (shown() === made()?.packed);
  const url = (): string => (shown() === '' ? '' : address() + shown());
  const long = (): boolean => made() === null || url().length > LINK_CHARS_FILE;
  /** The link once it has what was typed last. */
  const settledUrl = async (): Promise<string> => address() + inForm(await settled());

  const copy = async (text: Promise<string>, what: string): Promise<void> => {
    const allowed = await copyText(text);
    setDone(allowed ? `${what} copied.` : 'The browser did not allow copying: select the text and copy it by hand.');
  };
  const saveFile = (): void => save('scenario.json', `${writeDocument(document.current(), 2)}\n`);
  const markdown = async (): Promise<string> => {
    const link = await settled();
    return `[${escaped(title())}](${address() + inForm(link)}): ${link?.contains ?? ''}`;
  };

  return (
    <Show when={!failed()} fallback={<NoLinks onSave={saveFile} />}>
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
            ready={url() !== ''}
            url={settledUrl}
            title={title}
            long={long()}
            onCopy={(text, what) => void copy(text, what)}
            markdown={markdown}
            onSave={saveFile}
          />
        </div>
        <Qr text={url()} settled={settledUrl} />
      </div>
      <p class="visually-hidden" role="status">
        {done()}
      </p>
      <Show when={done()}>{(text) => <p class="share-done">{text()}</p>}</Show>
      <WordFields document={document} />
      <div class="share-head">
        <h3>What the link holds</h3>
        <span class="grow" />
        <span class="s">no results: they are computed again</span>
      </div>
      <Holds
        holds={made()?.holds ?? []}
        ticks={parts.ticks()}
        onTick={parts.tick}
        others={parts.others()}
        besideId={parts.besideId()}
        onBeside={parts.setBesideId}
      />
      <EmbedCode
        app={props.app}
        withView={parts.ticks().get('View') ?? false}
        title={title()}
        address={address()}
        onCopy={(text, what) => void copy(text, what)}
      />
    </Show>
  );
}

/** The pause in typing after which a title or a note is taken over. */
const TYPED_MS = 250;

/**
 * Title and note as fields: they change no result. They are taken over when typing rests, when the field is left, and
 * when the dialog is closed.
 */
function WordFields(props: { document: App['document'] }): JSX.Element {
  const words = createMemo(() => wordsOf(props.document.current()));
  const typed = new Map<'title' | 'note', string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (): void => {
    clearTimeout(timer);
    for (const [path, text] of typed) props.document.rename(path, text.trim());
    typed.clear();
  };
  onCleanup(take);
  const type = (path: 'title' | 'note', text: string): void => {
    typed.set(path, text);
    clearTimeout(timer);
    timer = setTimeout(take, TYPED_MS);
  };
  /** The text of a field, which the one in force replaces unless it is being typed. */
  const shown = (path: 'title' | 'note', field: { value: string }): void =>
    createEffect(() => {
      const text = words()[path];
      if (field.value.trim() !== text) field.value = text;
    });
  return (
    <div class="share-words">
      <label>
        <span class="s">Title</span>
        <input
          class="in"
          maxLength={TITLE_CHARS}
          ref={(field) => shown('title', field)}
          onInput={(event) => type('title', event.currentTarget.value)}
          onChange={take}
        />
      </label>
      <label>
        <span class="s">Note</span>
        <textarea
          class="in"
          rows="3"
          ref={(field) => shown('note', field)}
          placeholder="What the reader should notice. “at 61.9 s” and “#123” become links."
          onInput={(event) => type('note', event.currentTarget.value)}
          onChange={take}
        />
      </label>
    </div>
  );
}

/** Shown if the module of links cannot be loaded. */
function NoLinks(props: { onSave: () => void }): JSX.Element {
  return (
    <div role="alert">
      <p class="say">The code for links could not be loaded; check the network. The file has the same contents.</p>
      <button type="button" class="btn pri" onClick={() => props.onSave()}>
        Save file
      </button>
    </div>
  );
}

/** The address of this page. */
function address(): string {
  return location.origin + location.pathname + location.search;
}

/** A text with the special characters of Markdown escaped. */
function escaped(text: string): string {
  return text.replace(/[\\[\]<>*_`]/g, '\\$&');
}
