// Loads the simulation's worker beside the page's own code. The worker loads its module once the page is built.
import './base/theme.css';
import './base/page.css';
import './panels/shell/frame.css';
import './panels/scenario/scenario.css';
import './panels/scenario/words.css';
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
import './panels/calm/calm.css';
import './panels/calm/narrow.css';
import opening from 'virtual:opening';
import { type DeskWorker, spawnDesk } from './sim/desks.ts';
import { spawnWorker, type WorkerLike } from './sim/spawn.ts';

let early: WorkerLike | undefined = spawnWorker();
// Without a link the page opens with a scenario that was recorded: it plays before the simulation's module has come.
if (opening !== undefined && location.hash.length <= 1) early.postMessage({ kind: 'ahead', url: opening });

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
