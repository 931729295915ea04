// Published experiments beside their simulations: set-up, figures, how far apart, what differs, and the scenario to open.
import { For, type JSX, Show } from 'solid-js';
import { beyond, type Claim, type Reproduced, type ReproducedPage, ratioText, withUnit } from './publishedData.ts';
import './published.css';

export function PublishedPanel(props: { page: ReproducedPage; onOpen: (experiment: Reproduced) => void }): JSX.Element {
  return (
    <section class="published-list" aria-label="Published experiments" tabindex="0">
      <p class="s">One rate is fitted where a column says so: {props.page.fitted}.</p>
      <For each={props.page.experiments}>
        {(e) => <PublishedExperiment experiment={e} factor={props.page.summary.factor} onOpen={props.onOpen} />}
      </For>
    </section>
  );
}

function PublishedExperiment(props: {
  experiment: Reproduced;
  factor: number;
  onOpen: (experiment: Reproduced) => void;
}): JSX.Element {
  const e = props.experiment;
  const fitted = e.figures.some((f) => f.fitted !== undefined);
  /** Each reason once, with the figures that it is about. */
  const reasons = [...new Set(e.figures.flatMap((f) => f.why ?? []))].map((why) => ({
    why,
    figures: e.figures.filter((f) => f.why === why).map((f) => f.figure),
  }));
  return (
    <article class="published-one" aria-label={e.title}>
      <div class="published-head">
        <h3>{e.title}</h3>
        <button type="button" class="btn box" onClick={() => props.onOpen(e)}>
          Open as a scenario
        </button>
      </div>
      <p>{e.setup}</p>
      <div class="published-scroll">
        <table class="truth-table">
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col" class="n">
                Published
              </th>
              <th scope="col" class="n">
                Ours
              </th>
              <th scope="col" class="n">
                Ours / published
              </th>
              <Show when={fitted}>
                <th scope="col" class="n">
                  Rate fitted
                </th>
              </Show>
            </tr>
          </thead>
          <tbody>
            <For each={e.figures}>
              {(f) => (
                <tr>
                  <th scope="row">{f.figure}</th>
                  <td class="n">{withUnit(f.published, f.unit)}</td>
                  <td class="n">{withUnit(f.ours, f.unit)}</td>
                  <td class="n" classList={{ wa: beyond(f.ratio, props.factor) }}>
                    {beyond(f.ratio, props.factor) ? '◆ ' : ''}
                    {ratioText(f.ratio)}
                  </td>
                  <Show when={fitted}>
                    <td class="n">{ratioText(f.fitted_ratio)}</td>
                  </Show>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </div>
      <Rankings rankings={e.rankings} />
      <p>
        <b>What differs</b> {e.differs}
      </p>
      <For each={reasons}>
        {(r) => (
          <p>
            <b>◆ {r.figures.join('; ')}</b> {r.why}
          </p>
        )}
      </For>
      <p class="s">
        <a href={e.source} target="_blank" rel="noreferrer">
          Source
        </a>
        , {e.date}
      </p>
    </article>
  );
}

function Rankings(props: { rankings: readonly Claim[] }): JSX.Element {
  return (
    <ul class="published-claims" aria-label="Rankings">
      <For each={props.rankings}>
        {(r) => (
          <li classList={{ wa: !r.holds }}>
            {r.holds ? 'Agrees' : '◆ Disagrees'}: {r.claim}
          </li>
        )}
      </For>
    </ul>
  );
}
