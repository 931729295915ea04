// Key figures where pools have roles: hand-overs, ports and the share prefilled away from home. Loaded where there are some.
import type { JSX } from 'solid-js';
import { percent, text } from '../../base/units.ts';
import type { Mark } from '../../draw/glyphs.tsx';
import type { Evidence, Percentiles, SplitFrame } from '../../generated/boundary.ts';
import { figureBasis } from '../parts/evidenceWords.ts';
import { Figure, Tail } from './Figure.tsx';

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
      <Tail title="ITL p99" p={props.itl} mark={props.mark} rest={times()} onRest={props.onRest} />
      <Tail title="Hand-over p99" p={props.split.handover} mark={undefined} rest={times()} onRest={props.onRest} />
      <Figure
        title="Ports out"
        rest={undefined}
        onRest={undefined}
        mark={props.split.ports_out >= FULL ? 'risk' : undefined}
        value={percent(props.split.ports_out, 1)}
        small={[]}
      />
      <Figure
        title="Remote"
        rest={undefined}
        onRest={undefined}
        value={percent(props.split.decided.remote_share)}
        small={props.split.decided.local_share > 0 ? [`local ${text(percent(props.split.decided.local_share))}`] : []}
      />
    </>
  );
}
