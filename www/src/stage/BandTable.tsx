// The gateway's queue as a table, with the content and actions of its bands on the stage.
import { For, type JSX } from 'solid-js';
import { count, DASH, minus, percent, text } from '../base/units.ts';
import type { StageProps } from '../base/view.ts';
import type { BandFrame, GatewayFrame } from '../generated/boundary.ts';
import { holdsBack, saturationSaid, waitOf } from './facts.ts';

const HEADS = ['Band', 'Classes', 'Requests', 'Waiting', 'Longest wait', 'Prompt tokens', 'Ceiling', 'Sends on'];

export function BandTable(
  props: Pick<StageProps, 'selected' | 'onSelect'> & { readonly gateway: GatewayFrame },
): JSX.Element {
  return (
    <table class="band-table">
      <caption>Gateway queue at saturation {saturationSaid(props.gateway.saturation)}</caption>
      <thead>
        <tr>
          <For each={HEADS}>{(name) => <th scope="col">{name}</th>}</For>
        </tr>
      </thead>
      <tbody>
        <For each={props.gateway.bands.map((band) => band.priority)}>
          {(priority, i) => {
            const band = (): BandFrame | undefined => props.gateway.bands[i()];
            return (
              <tr>
                <th scope="row">{minus(priority)}</th>
                <td>{band()?.classes.join(', ') || DASH}</td>
                <td>
                  <select
                    aria-label={`Pick a request of band ${minus(priority)}`}
                    onChange={(event) => {
                      const request = Number(event.currentTarget.value);
                      if (event.currentTarget.value !== '') props.onSelect({ request, replica: undefined });
                    }}
                  >
                    <option value="">pick…</option>
                    <For each={band()?.queue.map((entry) => entry.request)}>
                      {(request) => (
                        <option value={request} selected={request === props.selected.request}>
                          #{request}
                        </option>
                      )}
                    </For>
                  </select>
                </td>
                <For each={cellsOf(props.gateway.saturation, band())}>{(cell) => <td>{cell}</td>}</For>
              </tr>
            );
          }}
        </For>
      </tbody>
    </table>
  );
}

/** The cells of a band from the number of requests on. */
export function cellsOf(saturation: number, band: BandFrame | undefined): readonly string[] {
  if (!band) return [];
  return [
    count(band.waiting),
    band.waiting > 0 ? waitOf(band) : DASH,
    count(band.prompt_tokens),
    text(percent(band.ceiling)),
    holdsBack(saturation, band) ? 'no' : 'yes',
  ];
}
