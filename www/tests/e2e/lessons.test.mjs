// Lessons in the built page in Chromium: lessons of the page from the first to the last card by mouse, by keyboard alone, one
// on a phone; a lesson of a file; links; pointing; what else was changed; the sandbox; a projector.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comes, drop, part, ROOT, resting, seedField, suite } from './harness.mjs';
import { violations } from './violations.mjs';

const onPage = suite();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const FOLDER = join(ROOT, 'src/generated/lessons');
const LESSONS = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name: name.slice(0, -5), lesson: JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) }))
      // The shortest first: a part of the cases is over soon.
      .toSorted((a, b) => a.lesson.steps.length - b.lesson.steps.length)
  : [];
const SAMPLE = readFileSync(join(ROOT, 'tests/lessons/sample.yaml'), 'utf8');
/** Where waiting for a task ends; a lesson goes on without it. */
const TASK_MS = 15_000;

const card = (page) => page.locator('.lesson-card > h3');
const next = (page) => page.locator('.lesson-next');
const at = (page) => page.locator('.lesson-track [aria-current=step]').getAttribute('aria-label');
const hash = (page) => page.evaluate(() => location.hash);
const stored = (page) => page.evaluate(() => JSON.parse(localStorage.getItem('lessons') ?? '{}'));
const submit = (page) => page.getByRole('button', { name: 'That is my guess' }).first();

async function dropSample(page, text = SAMPLE) {
  await drop(page, 'sample.yaml', text);
}

/** Opens the sample and waits for its first card. */
async function openSample(page) {
  await dropSample(page);
  await comes(() => card(page).textContent(), 'What does twice the traffic cost?');
  await resting(page);
}

async function step(page, number) {
  await page
    .locator('.lesson-track button')
    .nth(number - 1)
    .click();
  await comes(() => at(page), new RegExp(`^Step ${number},`));
  await resting(page);
}

/** Answers the question on screen, whatever it asks. */
async function answer(page, ask) {
  if (ask.choose) await page.locator('.ask-card').last().click();
  if (ask.number) await page.locator('.ask input[type=range]').click({ position: { x: 40, y: 8 } });
  if (ask.draw) {
    const fields = page.locator('.guess-typed input');
    const { from, to } = ask.draw.y;
    for (let k = 0; k < ask.draw.values.length; k += 1) {
      await fields
        .nth(k)
        .fill(
          String(Number((Math.max(from, 0) + (to - from) / 3).toPrecision(3)) * (ask.draw.y.unit === '%' ? 100 : 1)),
        );
      await fields.nth(k).press('Tab');
    }
  }
  await submit(page).click();
}

/** Sets the field that a card points at to the number in its words, and plays until the task is done or the time is up. */
async function tryTask(page, { look, task }) {
  const pointed = look?.find((one) => one.at.startsWith('field:'));
  const number = pointed?.says
    .match(/[−-]?\d[\d,]*/)?.[0]
    .replace('−', '-')
    .replaceAll(',', '');
  if (pointed && number) {
    const field = page.locator(`.left .f[data-path="${pointed.at.slice('field:'.length)}"] input`).first();
    await field.fill(number);
    await field.press('Enter');
    await resting(page);
  }
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page
    .locator('.lesson-task.done')
    .waitFor({ timeout: TASK_MS })
    .catch(() => {});
  const pause = page.getByRole('button', { name: 'Pause', exact: true });
  if (await pause.isVisible()) await pause.click().catch(() => {});
  await resting(page);
  return { goal: task.goal, done: (await page.locator('.lesson-task.done').count()) > 0 };
}

/** Walks through a lesson; returns the tasks that it tried. */
async function walk(page, steps, { tasks = true, axe = true } = {}) {
  const tried = [];
  for (const [k, one] of steps.entries()) {
    await comes(() => at(page), new RegExp(`^Step ${k + 1}, ${one.kind}:`));
    assert.equal((await card(page).textContent()).trim(), one.title);
    await resting(page);
    if (axe && (k === 0 || one.ask)) assert.deepEqual(await violations(page), [], `step ${k + 1}`);
    if (one.ask) {
      assert.equal(await next(page).isEnabled(), false, 'an unanswered prediction holds Next back');
      await answer(page, one.ask);
      await comes(() => next(page).isEnabled(), true);
    }
    if (one.task && tasks) tried.push(await tryTask(page, one));
    if (axe && k === steps.length - 1) assert.deepEqual(await violations(page), [], 'the last step');
    await next(page).click();
  }
  await comes(() => page.locator('.lesson').count(), 0);
  return tried;
}

for (const { name, lesson } of part('lessons by mouse', LESSONS, 1)) {
  onPage(
    `${name} by mouse, from the first card to the last`,
    async (page, t) => {
      assert.match(await page.locator('.lesson-title h2').textContent(), new RegExp(lesson.title.slice(0, 12)));
      const tried = await walk(page, lesson.steps);
      for (const { goal, done } of tried) if (!done) t.diagnostic(`not reached by the test: ${goal}`);
      const { done } = (await stored(page))[name];
      const read = lesson.steps.flatMap((one, k) => (one.task ? [] : [k]));
      assert.deepEqual(
        read.filter((k) => !done.includes(k)),
        [],
        'every card without a task is done',
      );
    },
    { link: `#lesson=${name};step=1` },
  );
}

/** Presses Tab until the focus is on an element. */
async function tabTo(page, selector) {
  for (let k = 0; k < 80; k += 1) {
    if (await page.evaluate((s) => document.activeElement?.matches(s) ?? false, selector)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the focus does not come to ${selector}`);
}

async function answerByKeys(page, ask) {
  if (ask.choose) {
    await tabTo(page, '.ask input[type=radio]');
    await page.keyboard.press('Space');
  }
  if (ask.number) {
    await tabTo(page, '.ask input[type=range]');
    await page.keyboard.press('ArrowRight');
  }
  if (ask.order) {
    await tabTo(page, '.ask-grip');
    await page.keyboard.press('ArrowDown');
  }
  if (ask.draw) {
    for (let k = 0; k < ask.draw.values.length; k += 1) {
      await tabTo(page, '.guess-typed input');
      await page.keyboard.type(String(Number(((ask.draw.y.from + ask.draw.y.to) / 2).toPrecision(2))));
      await page.keyboard.press('Tab');
    }
  }
  await tabTo(page, '.ask button[type=submit]');
  await page.keyboard.press('Enter');
}

for (const { name, lesson } of part('lessons by keyboard', LESSONS.slice(0, 2), 1)) {
  onPage(
    `${name} by keyboard alone`,
    async (page) => {
      for (const [k, one] of lesson.steps.entries()) {
        await comes(() => at(page), new RegExp(`^Step ${k + 1},`));
        await resting(page);
        // A new card has the focus.
        await comes(() => page.evaluate(() => document.activeElement?.textContent), one.title);
        if (one.hints?.length) {
          await page.keyboard.press('h');
          await comes(() => page.locator('.lesson-hints .m').textContent(), `1 of ${one.hints.length} opened`);
        }
        if (one.ask) {
          await answerByKeys(page, one.ask);
          await comes(() => next(page).isEnabled(), true);
          await tabTo(page, '.lesson-next');
        }
        await page.keyboard.press('Enter');
      }
      await comes(() => page.locator('.lesson').count(), 0);
    },
    { link: `#lesson=${name};step=1` },
  );
}

const [PHONED] = LESSONS.filter(({ lesson }) => lesson.steps.some(({ ask }) => ask?.choose));
if (PHONED)
  onPage(
    `${PHONED.name} on a phone`,
    async (page) => {
      const tab = page.getByRole('navigation', { name: 'View' }).getByRole('button', { name: 'Lesson', exact: true });
      assert.equal(await tab.getAttribute('aria-current'), 'true');
      for (const one of PHONED.lesson.steps) {
        await comes(() => card(page).textContent(), one.title);
        await resting(page);
        assert.deepEqual(await violations(page), [], one.title);
        assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          'no cut at the side',
        );
        if (one.ask) await answer(page, one.ask);
        await comes(() => next(page).isEnabled(), true);
        await next(page).tap();
      }
      await comes(() => page.locator('.lesson').count(), 0);
    },
    { ...PHONE, link: `#lesson=${PHONED.name};step=1` },
  );

onPage('a dropped YAML is a lesson, and its tasks are seen to be done', async (page) => {
  await openSample(page);
  assert.match(await page.locator('.lesson-place').textContent(), /^Lesson of a file/);
  await page.locator('.ask input[type=range]').click({ position: { x: 40, y: 8 } });
  await submit(page).click();
  await comes(() => page.locator('.ask .engine, .ask-pair').textContent(), /engine/);
  await next(page).click();
  await comes(() => page.locator('.lesson-card > p .lesson-figure').first().textContent(), '4');
  const replicas = page.locator('.left .f[data-path="cluster.pools[0].replicas"] input');
  assert.equal(await page.locator('.lesson-task.done').count(), 0);
  await replicas.fill('8');
  await replicas.press('Enter');
  await comes(() => page.locator('.lesson-task.done').textContent(), /Each of them has half of the requests/);
  // It is not un-marked.
  await resting(page);
  await replicas.fill('4');
  await replicas.press('Enter');
  await resting(page);
  assert.equal(await page.locator('.lesson-task.done').count(), 1);
  assert.deepEqual((await stored(page))['file:The queue grows before the GPU is full'].done, [0, 1]);
});

onPage.long('what else was changed is said, and undone', async (page) => {
  await openSample(page);
  await step(page, 2);
  const set = async (path, value) => {
    const field = page.locator(`.left .f[data-path="${path}"] input`).first();
    await field.fill(value);
    await field.press('Enter');
    await resting(page);
  };
  await set('cluster.pools[0].replicas', '5');
  assert.equal(await page.locator('.lesson-changed').count(), 0, 'the lesson asks for this one');
  await set('cluster.pools[0].tp', '2');
  await comes(() => page.locator('.lesson-changed').textContent(), /You also changed .*Tensor parallel/);
  await page.locator('.lesson-changed button').click();
  await comes(() => page.locator('.lesson-changed').count(), 0);
  await resting(page);
  assert.equal(await page.locator('.left .f[data-path="cluster.pools[0].replicas"] input').inputValue(), '5');
});

onPage.long('a card points at a field, a chart, a replica and a key figure', async (page) => {
  await openSample(page);
  const brackets = page.locator('.lesson-brackets');
  const round = async (selector, k) => {
    const [frame, box] = [await brackets.nth(k).boundingBox(), await page.locator(selector).first().boundingBox()];
    for (const side of ['x', 'y', 'width', 'height'])
      assert.ok(Math.abs(frame[side] - box[side]) < 12, `${selector}: ${side} ${frame[side]} for ${box[side]}`);
  };
  await comes(() => brackets.count(), 2);
  await round('.kpi > div', 0);
  const stage = await page.locator('.stage').boundingBox();
  const replica = await brackets.nth(1).boundingBox();
  assert.ok(replica.y > stage.y && replica.height < stage.height / 3, 'one card of the stage');
  await step(page, 2);
  await comes(() => brackets.count(), 2);
  await round('.left .f[data-path="cluster.pools[0].replicas"]', 0);
  await round('[data-chart="ttft-over-time"]', 1);
  await comes(() => brackets.first().textContent(), 'lesson: turn this');
  // They follow the form as it scrolls, and take no pointer.
  const before = await brackets.first().boundingBox();
  await page.locator('.left .f[data-path="cluster.pools[0].replicas"]').hover();
  await page.mouse.wheel(0, 60);
  await comes(async () => (await brackets.first().boundingBox()).y < before.y, true);
  await page.locator('.left .f[data-path="cluster.pools[0].replicas"] input').click();
  assert.deepEqual(await violations(page), []);
});

onPage.long('hints open in order, and their number is kept', async (page) => {
  await openSample(page);
  await step(page, 2);
  const hints = page.locator('.lesson-hints li button');
  assert.deepEqual(await hints.evaluateAll((all) => all.map((one) => one.disabled)), [false, true, true]);
  await hints.nth(0).click();
  await hints.nth(1).click();
  assert.match(await page.locator('.lesson-hints').textContent(), /2 of 3 opened/);
  await step(page, 1);
  await step(page, 2);
  assert.match(await page.locator('.lesson-hints').textContent(), /2 of 3 opened.*A replica serves its own queue/s);
});

onPage('a lesson with mistakes lists them, and the run stays', async (page) => {
  const title = await page.locator('.title').textContent();
  const check = page.locator('.learn-check');
  await dropSample(page, SAMPLE.replace('minutes: 3', 'minutes: 99').replace('goal: Eight replicas', 'goal: ""'));
  await comes(() => check.locator('li').count(), 2);
  const problems = await check.textContent();
  assert.match(problems, /minutes: found 99; allowed: 1 to 60/);
  assert.match(problems, /steps\[1\]\.task\.goal: found nothing/);
  await page.keyboard.press('Escape');
  await comes(() => page.locator('.learn').count(), 0);
  assert.equal(await page.locator('.lesson').count(), 0);
  assert.equal(await page.locator('.title').textContent(), title);
});

onPage.long('the sandbox keeps the run and its edits', async (page) => {
  await openSample(page);
  await step(page, 2);
  const replicas = page.locator('.left .f[data-path="cluster.pools[0].replicas"] input');
  await replicas.fill('6');
  await replicas.press('Enter');
  await resting(page);
  const clock = await page.locator('.clock').textContent();
  await page.getByRole('button', { name: 'Open in the sandbox' }).click();
  await comes(() => page.locator('.lesson, .lesson-brackets').count(), 0);
  assert.equal(await page.locator('.clock').textContent(), clock);
  assert.equal(await replicas.inputValue(), '6');
  assert.equal(await page.getByRole('tab', { name: 'Lesson' }).count(), 0);
});

onPage.long('Esc leaves for the tab before, and the lesson stays open', async (page) => {
  await openSample(page);
  await card(page).focus();
  await page.keyboard.press('ArrowRight');
  await comes(() => at(page), /^Step 2,/);
  await page.keyboard.press('ArrowLeft');
  await comes(() => at(page), /^Step 1,/);
  await page.keyboard.press('Escape');
  await comes(() => page.getByRole('tab', { selected: true }).allTextContents(), ['Form', 'Request']);
  await page.getByRole('tab', { name: 'Lesson' }).click();
  await comes(() => card(page).textContent(), 'What does twice the traffic cost?');
});

onPage(
  'an unknown lesson is said, with those that there are',
  async (page) => {
    const dialog = page.getByRole('dialog');
    await comes(() => dialog.locator('.problems').textContent(), /found the lesson “nothing”; allowed: \w+/);
    assert.deepEqual(await violations(page), []);
    await dialog.getByRole('button', { name: 'Keep the opened run' }).click();
    assert.equal(await page.locator('.lesson').count(), 0);
    await comes(() => page.locator('.clock').textContent(), /\d/);
  },
  { link: '#lesson=nothing;step=2' },
);

const [LINKED] = LESSONS;
if (LINKED) {
  onPage.long(
    'a link opens a step; the address names the step until the scenario is changed',
    async (page) => {
      const { name, lesson } = LINKED;
      await comes(() => at(page), /^Step 2,/);
      await resting(page);
      assert.equal(await hash(page), `#lesson=${name};step=2`);
      await step(page, 1);
      await comes(() => hash(page), `#lesson=${name};step=1`);
      // A link that is navigated to while the lesson is open turns the card.
      await page.evaluate((link) => {
        location.hash = link;
      }, `#lesson=${name};step=${lesson.steps.length}`);
      await comes(() => at(page), new RegExp(`^Step ${lesson.steps.length},`));
      await resting(page);
      const seed = await seedField(page);
      await seed.fill('77');
      await seed.press('Enter');
      await comes(() => hash(page), /^#(?!lesson)/);
      await page.getByRole('button', { name: 'Close the lesson' }).click();
      await comes(() => page.locator('.lesson').count(), 0);
    },
    { link: `#lesson=${LINKED.name};step=2` },
  );
}

onPage.long(
  'a projector has the stage or two charts, never both on a small page, and arrows turn cards anywhere',
  async (page) => {
    await openSample(page);
    await page.getByRole('button', { name: 'Lesson menu' }).click();
    await page.getByRole('checkbox', { name: /Projector mode/ }).check();
    await page.keyboard.press('Escape');
    const shown = () =>
      page.evaluate(() =>
        ['.left', '.stage', '.area', '.right'].filter((one) => document.querySelector(one)?.checkVisibility()),
      );
    // The first card points at a replica.
    await comes(shown, ['.stage', '.right']);
    await page.getByRole('button', { name: 'Charts', exact: true }).click();
    await comes(shown, ['.area', '.right']);
    await comes(() => page.locator('.time-chart').count(), 2);
    // The pointer is where it seems to be.
    const plot = await page.locator('.plot-area').first().boundingBox();
    await page.mouse.move(plot.x + plot.width / 4, plot.y + plot.height / 2);
    const line = await page.locator('.crosshair').first().boundingBox();
    assert.ok(Math.abs(line.x - (plot.x + plot.width / 4)) < 3, `crosshair at ${line.x}`);
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('ArrowRight');
    await comes(() => at(page), /^Step 2,/);
    await resting(page);
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await comes(shown, ['.stage', '.area', '.right']);
    await page.getByRole('button', { name: 'Lesson menu' }).click();
    await page.getByRole('checkbox', { name: /Projector mode/ }).uncheck();
    await comes(shown, ['.left', '.stage', '.area', '.right']);
  },
  { viewport: { width: 1280, height: 720 } },
);
