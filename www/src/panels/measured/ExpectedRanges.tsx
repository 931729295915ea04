// The range of TTFT and TPOT that follows from the intervals of the coefficients, computed on request.
import { createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import { writeDocument } from '../../base/text.ts';
import { durationMs, text } from '../../base/units.ts';
import type { Band } from '../../generated/boundary.ts';
import { Asking } from '../../sim/asking.ts';
import { LostError } from '../../sim/client.ts';
import type { App } from '../../state/app.ts';
import { MeasuredCurve } from './SideBySide.tsx';

const NAMES: Readonly<Record<string, string>> = { ttft_ms: 'TTFT', tpot_ms: 'TPOT' };

export function ExpectedRanges(props: { app: Pick<App, 'document'> }): JSX.Element {
  const benchmarks = new Asking('measured');
  onCleanup(() => benchmarks.end());
  const [bands, setBands] = createSignal<readonly Band[]>();
  const [status, setStatus] = createSignal('');
  const ask = async (): Promise<void> => {
    setStatus('Running with each coefficient at both ends of its interval…');
    try {
      const found = await benchmarks.ask('bands', writeDocument(props.app.document.inForce()));
      setBands(found);
      setStatus(found.length === 0 ? 'The coefficients of this run have no known intervals.' : '');
    } catch (error) {
      if (!(error instanceof LostError)) setStatus(error instanceof Error ? error.message : String(error));
    }
  };
  const range = (of: readonly number[]): string => {
    const [low = 0, value = 0, high = 0] = of;
    return `${text(durationMs(value))} (${text(durationMs(low))} to ${text(durationMs(high))})`;
  };
  return (
    <div class="truth-block">
      <h3>Effect of the intervals</h3>
      <button type="button" class="btn box" onClick={() => void ask()}>
        Show how the intervals spread TTFT and E2E
      </button>
      <p class="s" role="status">
        {status()}
      </p>
      <For each={bands()}>
        {(band) => (
          <>
            <MeasuredCurve
              title={NAMES[band.metric] ?? band.metric}
              simulated={band.values}
              measured={[]}
              band={[band.low, band.high]}
            />
            <p class="s">
              p50 {range(band.p50)}, p99 {range(band.p99)}
            </p>
          </>
        )}
      </For>
      <Show when={(bands()?.length ?? 0) > 0}>
        <p class="s">The errors of coefficients are summed as independent.</p>
      </Show>
    </div>
  );
}
