// The simulation starts before the page does: its worker fetches and compiles while the page's own code is being read.
import './base/theme.css';
import './base/page.css';
import './panels/frame.css';
import './panels/scenario.css';
import './panels/inspector.css';
import './panels/transport.css';
import './panels/over.css';
import './charts/charts.css';
import './stage/stage.css';
import './panels/narrow.css';
import { spawnWorker, type WorkerLike } from './sim/spawn.ts';
import { type LinkWorker, spawnLinks } from './sim/spawnLinks.ts';

let early: WorkerLike | undefined = spawnWorker();
early.postMessage({ kind: 'warm' });

/** The worker that was started first, then new ones. */
function spawn(): WorkerLike {
  const worker = early ?? spawnWorker();
  early = undefined;
  return worker;
}

/** A page that is opened by a link reads it meanwhile. */
let earlyLinks: LinkWorker | undefined = location.hash.length > 1 ? spawnLinks() : undefined;

function spawnLink(): LinkWorker {
  const worker = earlyLinks ?? spawnLinks();
  earlyLinks = undefined;
  return worker;
}

const host = document.getElementById('app');
// Reading the page's code and building the page are a task each.
void import('./page.tsx').then(({ show }) => setTimeout(() => host && show(host, spawn, spawnLink)));
