// The comparison, with the stages of both runs, which are loaded when shown. Loaded when it is opened.
import { type JSX, lazy } from 'solid-js';
import { Compare } from '../panels/studies/Compare.tsx';
import type { App } from '../state/app.ts';

const Stages = lazy(() => import('./Stages.tsx'));

export default function CompareView(props: {
  app: Pick<App, 'transport' | 'document' | 'studies' | 'dialogs' | 'links'>;
}): JSX.Element {
  return <Compare app={props.app} stages={Stages} />;
}
