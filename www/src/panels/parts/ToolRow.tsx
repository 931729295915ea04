// The row above the charts' area: which view it shows, and the tools of that view.
import type { JSX } from 'solid-js';
import { AREAS, type Area, area, setArea } from '../../state/view/closeup.ts';
import { Segments } from './Segments.tsx';
import './toolRow.css';

const NAMES: Readonly<Record<Area, string>> = {
  charts: 'Charts',
  lanes: 'Lanes',
  kv: 'KV',
  density: 'Density',
  tiers: 'Tiers',
  sessions: 'Sessions',
};
const OPTIONS = AREAS.map((name) => [name, NAMES[name]] as const);

export function ToolRow(props: { children?: JSX.Element }): JSX.Element {
  const choose = (event: KeyboardEvent): void => {
    const next = AREAS[Number(event.key) - 1];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    setArea(next);
  };
  return (
    <div class="tool-row">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the buttons in it */}
      <span onKeyDown={choose}>
        <Segments label="View" options={OPTIONS} chosen={area()} onChoose={setArea} />
      </span>
      {props.children}
    </div>
  );
}
