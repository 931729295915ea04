// What the tools of the page do: a burst, a break of a replica, and its mending.
import { getAt, isObject, type Json, setAt } from '../../base/json.ts';
import type { Flag } from '../../generated/boundary.ts';
import type { App } from '../app.ts';

/** Requests of a burst, and how long a break lasts, in seconds. */
export const BURST = 60;
export const BREAK_S = 20;

/** The edit that sends a burst from now on: a further client like the first one, which sends for a second. */
export function burstOf(
  document: Json,
  nowUs: number,
): { readonly add: { readonly [list: string]: Json } } | undefined {
  const clients = getAt(document, 'workload.clients');
  const [first] = Array.isArray(clients) ? clients : [];
  if (!isObject(first)) return undefined;
  const start_s = nowUs / 1e6;
  const sent = setAt(setAt(first, 'name', nameOf(clients)), 'arrivals', { constant: { rate_per_s: BURST } });
  const client = setAt(sent, 'rate_profile', { windows: { windows: [{ start_s, end_s: start_s + 1.001 }] } });
  return { add: { 'workload.clients': client } };
}

/** `burst`, `burst-2`, `burst-3`: the first name that no client has. */
function nameOf(clients: Json | undefined): string {
  const names = Array.isArray(clients) ? clients.map((client: Json) => getAt(client, 'name')) : [];
  let n = 1;
  const name = (): string => (n === 1 ? 'burst' : `burst-${n}`);
  while (names.includes(name())) n += 1;
  return name();
}

/** What the tools do in a run; each says why it had no effect. */
export function toolActs({ transport, document: doc, dialogs }: Pick<App, 'transport' | 'document' | 'dialogs'>) {
  const nowUs = (): number => transport.frame()?.now_us ?? 0;
  const did = async (done: Promise<boolean>): Promise<void> => {
    if (await done) return;
    dialogs.setNotice({ kind: 'info', text: 'The run stays as it is.', diagnostics: [...doc.problems().values()] });
  };
  return {
    did,
    nowUs,
    burst: (): void => {
      const edit = burstOf(doc.inForce(), nowUs());
      if (edit) void did(doc.applyEdit(edit, 'workload.clients'));
    },
    crash: (replica: number): void =>
      void did(doc.applyEdit({ fault: { crash: { replica, restart_s: BREAK_S } } }, '')),
  };
}

/** The edit whose crash keeps a replica down. */
export function crashOf(
  flags: readonly Flag[],
  replica: number | undefined,
  nowUs: number,
): { readonly index: number; readonly untilUs: number } | undefined {
  const index = flags.findLastIndex(
    ({ at_us, fault }) => fault?.kind === 'crash' && fault.replica === replica && at_us <= nowUs,
  );
  const untilUs = flags[index]?.fault?.until_us;
  return untilUs !== undefined && untilUs > nowUs ? { index, untilUs } : undefined;
}

/** Breaks the replica in focus, or mends it if a break of the page keeps it down. */
export function breakFocused(app: Pick<App, 'transport' | 'document' | 'dialogs' | 'selection'>): void {
  const replica = focusedReplica(app);
  if (replica === undefined) {
    app.dialogs.tell('Select a replica first.');
    return;
  }
  const acts = toolActs(app);
  const down = app.transport.frame()?.replicas.find(({ id }) => id === replica)?.life?.phase === 'down';
  const crash = down ? crashOf(app.transport.frame()?.flags ?? [], replica, acts.nowUs()) : undefined;
  if (crash) void app.document.stretchEdit(crash.index, acts.nowUs());
  else if (!down) acts.crash(replica);
}

/** The replica whose row has the focus, or else the one that the stage frames. */
function focusedReplica({ selection }: Pick<App, 'selection'>): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('[data-replica]')?.dataset.replica;
  return row === undefined ? selection.framed() : Number(row);
}
