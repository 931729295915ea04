// The head of the first view: what is seen, in one sentence of the core, and three key figures of one span.
import { createEffect, createMemo, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { sentence } from '../../base/keyWords.ts';
import { createMedia, NARROW_PHONE } from '../../base/media.ts';
import { DASH, percent, percentileUs, plain, type Quantity, text } from '../../base/units.ts';
import { isFew, lastSpan } from '../../base/view.ts';
import { type Mark, ObjectiveMark, Q } from '../../draw/glyphs.tsx';
import type { Frame, Statement } from '../../generated/boundary.ts';
import type { App } from '../../state/app.ts';
import { without } from '../../state/view/lastEdit.ts';
import { minute, wasUs } from '../../state/view/minute.ts';
import { BeforeEdit, type Was } from '../parts/BeforeEdit.tsx';
import { Deferred } from '../parts/Deferred.tsx';

/** What is true before the break of the first minute, once the reader has gone back there. */
export const SAME = 'The same requests at the same instants: what you did can be undone, and done otherwise.';
/** A sentence stays at least this long, so that it can be read. */
const STAYS_MS = 1200;

export function CalmHead(props: { app: Pick<App, 'transport'> }): JSX.Element {
  const app = props.app;
  const phone = createMedia(NARROW_PHONE);
  const says = createSteady(
    () => saidOf(app.transport.figuresFrame(), phone()),
    () => app.transport.playing(),
  );
  const key = createMemo(() => app.transport.figuresFrame()?.key);
  const mark = (): Mark => {
    const standing = key()?.ttft_mark;
    if (!key()?.slo_ttft_us || !key()?.ttft.count) return undefined;
    return standing === 'none' ? 'ok' : standing;
  };
  const within = (): Quantity => (key()?.ttft.count ? percent(key()?.ttft_within ?? 0) : { value: DASH, unit: '' });
  /** Whether the reader has gone back to before what was done. */
  const again = (): boolean => {
    const at = minute();
    return !phone() && at?.step === 5 && (app.transport.figuresFrame()?.now_us ?? 0) < (at.fault?.atUs ?? 0);
  };
  const tail = (us: number | undefined): Quantity => percentileUs(us ?? 0, key()?.ttft.count ?? 0);
  const was = (): Was | undefined => {
    const changed = minute();
    if (changed && wasUs() !== undefined) return { said: text(tail(wasUs())), atS: (changed.changedUs ?? 0) / 1e6 };
    const before = without();
    if (!before || before.key.ttft.count === 0) return undefined;
    return { said: text(percentileUs(before.key.ttft.p99_us, before.key.ttft.count)), atS: before.fromS };
  };
  return (
    <header class="calm-head">
      <Deferred>
        <h1 class="calm-says">{again() ? SAME : says() || 'A simulated LLM cluster'}</h1>
        <section class="calm-figures" aria-label="Key figures">
          <h2 class="m">{lastSpan(app.transport.figuresFrame())}</h2>
          <CalmFigure
            title="TTFT p99"
            mark={mark()}
            value={tail(key()?.ttft.p99_us)}
            missed={mark() === 'miss'}
            few={isFew(key()?.ttft.count ?? 0)}
            was={was()}
          />
          <CalmFigure title="TTFT p50" value={tail(key()?.ttft.p50_us)} />
          <Show when={key()?.slo_ttft_us}>
            {(slo) => <CalmFigure title={`within ${plain(slo() / 1e6)} s`} value={within()} />}
          </Show>
        </section>
      </Deferred>
    </header>
  );
}

function CalmFigure(props: {
  title: string;
  mark?: Mark;
  value: Quantity;
  missed?: boolean;
  few?: boolean;
  /** The value before an edit. */
  was?: Was | undefined;
}): JSX.Element {
  return (
    <div>
      <h3>
        {props.title} <ObjectiveMark mark={props.mark} />
      </h3>
      <p classList={{ mi: props.missed ?? false, few: props.few ?? false }}>
        <BeforeEdit was={props.was} leads /> <Q q={props.value} />
      </p>
    </div>
  );
}

/** The statement of a frame as one sentence. */
function saidOf(frame: Frame | undefined, short: boolean): string {
  if (!frame) return '';
  if (frame.trouble) return frame.trouble;
  return sentenceOf(frame.says, short);
}

/** On a phone in two sentences, which break better. */
export function sentenceOf({ cluster, seen }: Statement, short = false): string {
  if (short && cluster !== '')
    return `A simulated LLM cluster. ${sentence([cluster, seen].filter((s) => s !== '').join('; '))}.`;
  const clauses = [cluster, seen].filter((clause) => clause !== '').join(', and ');
  return clauses === '' ? '' : `A simulated LLM cluster: ${clauses}.`;
}

/** The value, which changes at most once in a while as long as the run plays. */
function createSteady(value: () => string, plays: () => boolean): () => string {
  const [shown, setShown] = createSignal('');
  let since = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (): void => {
    timer = undefined;
    since = performance.now();
    setShown(value());
  };
  createEffect(() => {
    if (value() === shown()) return;
    const left = shown() === '' || !plays() ? 0 : since + STAYS_MS - performance.now();
    if (left <= 0) {
      clearTimeout(timer);
      show();
    } else timer ??= setTimeout(show, left);
  });
  onCleanup(() => clearTimeout(timer));
  return shown;
}
