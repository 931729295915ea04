// Key figures where pools have roles: hand-overs, ports and the share prefilled away from home. Loaded where there are some.
import type { JSX } from 'solid-js';
import { percent, text } from '../../base/units.ts';
import type { Mark } from '../../draw/glyphs.tsx';
import type { Evidence, Percentiles, SplitFrame } from '../../generated/boundary.ts';
import { figureBasis } from '../parts/evidenceWords.ts';
import { Figure, Tail } from './KeyFigures.tsx';

/** A port that is fuller than this is a risk. */
const FULL = 0.9;

export default function SplitFigures(props: {
  itl: Percentiles;
  mark: Mark;
  split: SplitFrame;
  evidence?: Evidence | undefined;
  onRest: (() => void) | undefined;
}): JSX.Element {
  const times = () => figureBasis(props.evidence, ['steps']);
  return (
    <>
      <Tail
        title="ITL p99"
        about="Time between any two tokens of a request in the window"
        p={props.itl}
        mark={props.mark}
        rest={times()}
        onRest={props.onRest}
      />
      <Tail
        title="Hand-over p99"
        about="From the end of a prefill to joining the batch at home: room, transfer, and the end of the running step"
        p={props.split.handover}
        mark={undefined}
        rest={times()}
        onRest={props.onRest}
      />
      <Figure
        title="Ports out"
        about="Share of what all prefill replicas’ ports to others carry that was used in the latest seconds"
        rest={undefined}
        onRest={undefined}
        mark={props.split.ports_out >= FULL ? 'risk' : undefined}
        value={percent(props.split.ports_out, 1)}
        small={[]}
      />
      <Figure
        title="Remote"
        about="Share of the requests of the window that a prefill replica prefills"
        rest={undefined}
        onRest={undefined}
        value={percent(props.split.decided.remote_share)}
        small={props.split.decided.local_share > 0 ? [`local ${text(percent(props.split.decided.local_share))}`] : []}
      />
    </>
  );
}
