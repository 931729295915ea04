// The hand on the stage, joined to the state of the page: what it pulls are fields of the scenario, and a request that it carries
// elsewhere is a what-if question.
import type { JSX } from 'solid-js';
import { amountOf, setAmount } from '../panels/parts/handAmounts.ts';
import { ignoreLost } from '../sim/client.ts';
import Hand, { type HandPlace } from '../stage/Hand.tsx';
import type { App } from '../state/app.ts';
import { sendAsked } from '../state/studies/sendElsewhere.ts';

export type HandApp = Pick<App, 'transport' | 'selection' | 'document' | 'studies' | 'links' | 'dialogs'>;

export default function StageHand(props: { app: HandApp; place: HandPlace }): JSX.Element {
  return (
    <Hand
      place={props.place}
      acts={{
        amountOf: (grip) => (grip.on === 'request' ? undefined : amountOf(props.app, grip)),
        set: (edge, value) => void setAmount(props.app, edge, value).catch(ignoreLost),
        send: (request, to) => void sendAsked(props.app, request, to).catch(ignoreLost),
      }}
    />
  );
}
