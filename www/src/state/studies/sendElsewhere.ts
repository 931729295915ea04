// One request sent to another replica, as run B beside the run on screen.
import type { RequestDetail } from '../../generated/boundary.ts';
import type { App } from '../app.ts';
import { compareAsB } from './runForB.ts';
import { sentElsewhere } from './whatIf.ts';

/** Opens the comparison with the run in which the request went there; false if it has not been routed yet. */
export function sendElsewhere(
  app: Pick<App, 'document' | 'studies'>,
  { request, routed_us: atUs }: Pick<RequestDetail, 'request' | 'routed_us'>,
  to: number,
): boolean {
  if (atUs === undefined) return false;
  const document = sentElsewhere(app.document.current(), atUs, request, to);
  compareAsB({ name: `request ${request} to r${to}`, document, request });
  app.studies.setComparing(true);
  return true;
}

/** The same for a request that is not shown: it is asked for first, and a notice says why it stays. */
export async function sendAsked(
  app: Pick<App, 'document' | 'studies' | 'selection' | 'dialogs'>,
  request: number,
  to: number,
): Promise<boolean> {
  const detail = await app.selection.inspect(request);
  const able = detail && (detail.candidates.length === 0 || detail.candidates.some((c) => c.replica === to));
  const why =
    detail?.routed_us === undefined
      ? 'no router has sent it anywhere yet.'
      : detail.replica === to
        ? `it is on r${to} already.`
        : able
          ? ''
          : `r${to} was no choice of the router.`;
  if (detail && why === '') return sendElsewhere(app, detail, to);
  app.dialogs.setNotice({ kind: 'info', text: `Request #${request} stays: ${why}`, diagnostics: [] });
  return false;
}
