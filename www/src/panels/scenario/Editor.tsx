// The editor of the scenario as YAML: CodeMirror, with keys and words of the schema and problems in place. Loaded with the YAML tab.
//
// It lives in a shadow root: there its styles are adopted style sheets, which the content security policy allows. CodeMirror 6 (MIT,
// since 2018, released monthly) brings what a field cannot: line numbers, search, folding, undo by words, completion, and reading by
// assistive technology.
import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter, type Diagnostic as Mark } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { createEffect, type JSX, on, onCleanup, onMount } from 'solid-js';
import type { Schema } from '../../base/schema.ts';
import { writeDocument } from '../../base/text.ts';
import { readYaml } from '../../base/yaml.ts';
import type { Diagnostic } from '../../generated/boundary.ts';
import { explain } from '../../state/notices/notices.ts';
import { typingAt, YamlPlaces } from './yamlPlaces.ts';
import { wordsAt } from './yamlWords.ts';

/** Texts longer than this are checked when they are applied, not while they are typed. */
const MOST_CHECKED = 200_000;
const LINT_MS = 400;

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '17px' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-3)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent)',
  },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--hover)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--ink-3)', fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '320px', fontFamily: 'var(--font)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
  },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--miss)',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-lint-marker-error, .cm-lint-marker-warning': {
    content: 'normal',
    width: '8px',
    height: '8px',
    margin: '4px',
    backgroundColor: 'var(--miss)',
  },
  '.cm-lint-marker-warning': { backgroundColor: 'var(--warn)', borderRadius: '50%' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--miss)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnostic': { fontFamily: 'var(--font)', whiteSpace: 'pre-wrap' },
});

/** Weight and ink tell keys, values and comments apart; hue is kept for states. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], fontWeight: '600' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.punctuation, tags.separator], color: 'var(--ink-3)' },
]);

export type EditorProps = {
  readonly text: string;
  readonly schema: Schema;
  readonly invalid: boolean;
  readonly check: (text: string) => Promise<readonly Diagnostic[]>;
  readonly onText: (text: string) => void;
  readonly onApply: () => void;
};

export default function Editor(props: EditorProps): JSX.Element {
  let host: HTMLDivElement | undefined;
  let view: EditorView | undefined;
  onMount(() => {
    const root = host?.shadowRoot ?? host?.attachShadow({ mode: 'open' });
    if (!root) return;
    const place = document.createElement('div');
    // The shadow root has no style sheets of the page.
    place.style.height = '100%';
    root.append(place);
    view = new EditorView({
      root,
      parent: place,
      state: EditorState.create({ doc: props.text, extensions: extensionsOf(props) }),
    });
  });
  onCleanup(() => view?.destroy());
  // A text from elsewhere, such as of the run after an edit, replaces the typed one.
  createEffect(
    on(
      () => props.text,
      (text) => {
        const before = view?.state.doc.toString();
        if (view && before !== text) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      },
    ),
  );
  return (
    <div
      class="editor"
      data-writes
      ref={(el) => {
        host = el;
      }}
    />
  );
}

function extensionsOf(props: EditorProps) {
  return [
    keymap.of([
      {
        key: 'Mod-Enter',
        run: () => {
          props.onApply();
          return true;
        },
      },
    ]),
    basicSetup,
    yaml(),
    syntaxHighlighting(HIGHLIGHT),
    lintGutter(),
    linter((view) => marksOf(view.state.doc.toString(), props.check), { delay: LINT_MS }),
    autocompletion({ override: [(context) => complete(context, props.schema)] }),
    THEME,
    EditorView.contentAttributes.of({ 'aria-label': 'Scenario as YAML', spellcheck: 'false', tabindex: '0' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) props.onText(update.state.doc.toString());
    }),
  ];
}

function complete(context: CompletionContext, schema: Schema): CompletionResult | null {
  const { path, what, word } = typingAt(context.state.doc.toString(), context.pos);
  if (word === '' && !context.explicit) return null;
  const words = wordsAt(schema, path, what);
  if (words.length === 0) return null;
  return {
    from: context.pos - word.length,
    options: words.map(({ label, detail, info, apply }) => ({ label, detail, apply, ...(info && { info }) })),
    validFor: /^[\w-]*$/,
  };
}

/** The problems of a text, where they stand. */
export async function marksOf(text: string, check: EditorProps['check']): Promise<readonly Mark[]> {
  if (text.length > MOST_CHECKED) return [];
  const places = new YamlPlaces(text);
  const errors = places.errors();
  if (errors.length > 0) return errors.map((error) => ({ ...error, severity: 'error' }));
  try {
    const problems = await check(writeDocument(await readYaml(text)));
    return problems.map((problem) => ({
      ...places.of(problem.path),
      severity: problem.severity === 'error' ? 'error' : 'warning',
      message: explain(problem),
    }));
  } catch (error) {
    // A text that the reader refuses, such as one whose aliases expand too far, is reported when it is applied.
    if (!(error instanceof Error)) throw error;
    return [{ from: 0, to: Math.min(1, text.length), severity: 'error', message: error.message }];
  }
}
