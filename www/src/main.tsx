// Loads the simulation's worker beside the page's own code. The worker compiles its module once the page is built.
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
import { type DeskWorker, spawnDesk } from './sim/desks.ts';
import { spawnWorker, type WorkerLike } from './sim/spawn.ts';

let early: WorkerLike | undefined = spawnWorker();

/** The worker that was started first, then new ones. */
function spawn(): WorkerLike {
  const worker = early ?? spawnWorker();
  early = undefined;
  return worker;
}

/** If the address has a link, the thread of links starts early. */
let earlyLinks: DeskWorker | undefined = location.hash.length > 1 ? spawnDesk('links') : undefined;

function spawnLink(): DeskWorker {
  const worker = earlyLinks ?? spawnDesk('links');
  earlyLinks = undefined;
  return worker;
}

const host = document.getElementById('app');
// Parsing the page's code and building the page are separate tasks.
void import('./page/page.tsx').then(({ show }) => setTimeout(() => host && show(host, spawn, spawnLink)));
