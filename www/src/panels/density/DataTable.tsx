// The table behind a picture of the view.

import { createMemo, type JSX } from 'solid-js';
import { LATENCIES } from '../../base/latencies.ts';
import type { ViewColumns } from '../../base/view.ts';
import { tableOf } from '../../charts/stripPicture.ts';
import { ColumnsTable } from '../../charts/Tables.tsx';
import { measure } from '../../state/view/closeup.ts';
import { answers, type DensityAnswers } from '../../state/view/density.ts';
import { stepColumns } from './steps.ts';

export type Behind = 'map' | 'spread' | 'steps';

const titleOf = (of: Behind): string =>
  ({
    map: `${LATENCIES[measure()].name} density`,
    spread: `Distribution of ${LATENCIES[measure()].ofRequest}`,
    steps: 'Step time by running requests',
  })[of];

function columnsOf(of: Behind, found: DensityAnswers): ViewColumns {
  if (of === 'map') {
    const { names, columns } = tableOf(found.map);
    return { names: names.map((name) => (name === 'requests' && !found.map.by_arrival ? 'gaps' : name)), columns };
  }
  if (of === 'spread') {
    return {
      names: ['ms', 'percent'],
      columns: [Float64Array.from(found.ecdf.ms), Float64Array.from(found.ecdf.percent)],
    };
  }
  return stepColumns(found.points);
}

export default function DataTable(props: { of: Behind; onClose: () => void }): JSX.Element {
  const data = createMemo(() => {
    const found = answers();
    return found && columnsOf(props.of, found);
  });
  return <ColumnsTable title={titleOf(props.of)} data={data()} onClose={props.onClose} />;
}
