// The simulation's worker reads its code while the page's own is being read. It compiles its module once the page is built.
import './base/theme.css';
import './base/page.css';
import './panels/shell/frame.css';
import './panels/scenario/scenario.css';
import './panels/scenario/story.css';
import './panels/inspector/inspector.css';
import './panels/shell/transport.css';
import './panels/shell/over.css';
import './charts/charts.css';
import './stage/stage.css';
import './base/narrow.css';
import './charts/narrow.css';
import './panels/scenario/narrow.css';
import './panels/inspector/narrow.css';
import './panels/shell/narrow.css';
import { spawnWorker, type WorkerLike } from './sim/spawn.ts';
import { type LinkWorker, spawnLinks } from './sim/spawnLinks.ts';

let early: WorkerLike | undefined = spawnWorker();

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
