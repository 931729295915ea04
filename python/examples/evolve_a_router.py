"""Thirty generations of a search for a router on the herding suite, by OpenEvolve, GEPA, ShinkaEvolve or SkyDiscover.

A scripted proposer stands in for the model, so that the search can be run anywhere and again: the expression of a request follows
from the request's number. Prints the best expression, its score on the suite's train cases, and its score on cases and seeds that
were held back (0.5 is as good as the default router). Fails unless the held-back score is better than that.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tokenyard import evolve

GENERATIONS = int(os.environ.get("GENERATIONS", "30"))
SEED = {"routing": "weighted: { scorers: [{ scorer: { expression: '1 / (1 + waiting)' }, weight: 1 }] }"}


def proposal(number: int) -> dict[str, str]:
    """The candidate with this number: a sum of signals that a router knows, each with a weight."""
    chosen = random.Random(number)
    signals = chosen.sample(["in_flight", "waiting", "running", "10 * kv_use", "tokens_in_flight / 1000"], chosen.randint(1, 3))
    terms = " + ".join(f"{chosen.choice([0.25, 0.5, 1, 2])} * {signal}" for signal in signals)
    expression = f"1 / (1 + {terms})"
    return {"routing": f"weighted: {{ scorers: [{{ scorer: {{ expression: '{expression}' }}, weight: 1 }}] }}"}


def program(candidate: dict[str, str]) -> str:
    """A candidate as a program that OpenEvolve, ShinkaEvolve and SkyDiscover change."""
    return f"# EVOLVE-BLOCK-START\n{evolve.candidate_text(candidate)}\n# EVOLVE-BLOCK-END\n"


def answer(number: int) -> str:
    """What the model would have said."""
    return f"<NAME>\nrouter_{number}\n</NAME>\n<DESCRIPTION>\nanother sum of signals\n</DESCRIPTION>\n```yaml\n{program(proposal(number))}```\n"


class Scripted:
    """A model in the process of the searcher."""

    def __init__(self, _config: Any = None) -> None:
        self.asked = 0

    async def generate(self, *_arguments: Any, **more: Any) -> str:
        """The answer to a prompt."""
        self.asked += 1
        seed = more.get("seed")
        return answer(self.asked if seed is None else seed % 1_000_000)

    generate_with_context = generate


def openevolve(_suite: str, folder: Path) -> str:
    """OpenEvolve, whose processes evaluate by the file of the adapter."""
    from openevolve import run_evolution
    from openevolve.config import Config, LLMModelConfig

    config = Config(max_iterations=GENERATIONS, random_seed=1, language="yaml", file_suffix=".yaml", diff_based_evolution=False)
    config.llm.models = [LLMModelConfig(name="scripted", init_client=Scripted, random_seed=1)]
    config.llm.evaluator_models = config.llm.models
    # One at a time, so that each generation knows the one before it.
    config.evaluator.parallel_evaluations = 1
    config.evaluator.cascade_evaluation = True
    config.evaluator.cascade_thresholds = [0.3, 0.4]
    (folder / "initial.yaml").write_text(program(SEED), "utf-8")
    found = run_evolution(folder / "initial.yaml", evolve.__file__, config, output_dir=str(folder / "out"), cleanup=False)
    return str(found.best_code)


def gepa(suite: str, folder: Path) -> str:
    """GEPA by its adapter, then once more by ``optimize_anything`` with the evaluator."""
    import gepa as searcher
    from gepa.optimize_anything import EngineConfig, GEPAConfig, ReflectionConfig, optimize_anything

    cases = evolve.Suite.load(suite).cases("train")
    asked = iter(range(1, 10_000))

    def propose(candidate: dict[str, str], _seen: Any, components: list[str]) -> dict[str, str]:
        made = proposal(next(asked))
        return {component: made[component] for component in components}

    calls = GENERATIONS * 3 * len(cases)
    found = searcher.optimize(
        seed_candidate=SEED,
        trainset=cases,
        valset=cases,
        adapter=evolve.GepaAdapter(suite),
        custom_candidate_proposer=propose,
        reflection_minibatch_size=len(cases),
        max_metric_calls=calls,
        seed=1,
        run_dir=str(folder / "adapter"),
    )
    anything = optimize_anything(
        seed_candidate=SEED,
        evaluator=evolve.gepa_evaluator(suite),
        dataset=cases,
        config=GEPAConfig(
            engine=EngineConfig(max_metric_calls=6 * len(cases), seed=1, run_dir=str(folder / "anything")),
            reflection=ReflectionConfig(custom_candidate_proposer=propose, reflection_minibatch_size=len(cases)),
        ),
    )
    assert isinstance(anything.best_candidate, dict)
    return evolve.candidate_text(found.best_candidate)


def serve(answer: Callable[[int], str]) -> tuple[str, Callable[[], None]]:
    """A server that speaks as a model does, for searchers that take no object for one: its address, and how to end it."""
    numbers = iter(range(1, 100_000))
    lock = threading.Lock()

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            with lock:
                text = answer(next(numbers))
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            body = json.dumps(
                {"id": "1", "object": "chat.completion", "created": 0, "model": "scripted", "choices": [choice], "usage": usage}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1", server.shutdown


def shinka(suite: str, folder: Path) -> str:
    """ShinkaEvolve, which starts an ``evaluate.py`` for each candidate."""
    from shinka.core import EvolutionConfig, ShinkaEvolveRunner
    from shinka.database import DatabaseConfig
    from shinka.launch import LocalJobConfig

    address, end = serve(shinka_answer)
    # The model is on this machine, whatever the environment says of proxies.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    os.environ.setdefault("LOCAL_OPENAI_API_KEY", "none")
    (folder / "initial.json").write_text(shinka_program(SEED), "utf-8")
    evaluator = folder / "evaluate.py"
    evaluator.write_text(f"from tokenyard.evolve import shinka_main\n\nshinka_main({suite!r})\n", "utf-8")
    runner = ShinkaEvolveRunner(
        evo_config=EvolutionConfig(
            num_generations=GENERATIONS,
            patch_types=["full"],
            patch_type_probs=[1.0],
            language="json",
            llm_models=[f"local/scripted@{address}"],
            llm_dynamic_selection=None,
            embedding_model=None,
            meta_rec_interval=None,
            init_program_path=str(folder / "initial.json"),
            results_dir=str(folder / "out"),
            use_text_feedback=True,
        ),
        job_config=LocalJobConfig(eval_program_path=str(evaluator), python_executable=sys.executable),
        db_config=DatabaseConfig(db_path=str(folder / "out" / "programs.sqlite"), num_islands=1),
        max_evaluation_jobs=1,
        max_proposal_jobs=1,
        verbose=False,
    )
    runner.run()
    end()
    best: tuple[float, str] = (-1.0, "")
    for metrics in sorted((folder / "out").glob("gen_*/results/metrics.json")):
        score = float(json.loads(metrics.read_text("utf-8"))["combined_score"])
        text = (metrics.parent.parent / "main.json").read_text("utf-8")
        best = max(best, (score, text), key=lambda found: found[0])
    return best[1]


def shinka_program(candidate: dict[str, str]) -> str:
    """A candidate as JSON with ``//`` markers: ShinkaEvolve knows JSON, and no YAML."""
    expression = candidate["routing"].split("'")[1]
    document = {"routing": {"weighted": {"scorers": [{"scorer": {"expression": expression}, "weight": 1}]}}}
    return f"// EVOLVE-BLOCK-START\n{json.dumps(document, indent=2)}\n// EVOLVE-BLOCK-END\n"


def shinka_answer(number: int) -> str:
    """What the model would have said."""
    text = shinka_program(proposal(number))
    return f"<NAME>\nrouter_{number}\n</NAME>\n<DESCRIPTION>\nanother sum of signals\n</DESCRIPTION>\n<CODE>\n```json\n{text}```\n</CODE>\n"


def skydiscover(_suite: str, folder: Path) -> str:
    """SkyDiscover, which evaluates by the file of the adapter."""
    from skydiscover import run_discovery
    from skydiscover.config import Config, LLMModelConfig

    config = Config(max_iterations=GENERATIONS, language="yaml", file_suffix=".yaml", diff_based_generation=False)
    config.llm.models = [LLMModelConfig(name="scripted", init_client=Scripted, random_seed=1)]
    config.llm.evaluator_models = config.llm.models
    config.llm.guide_models = config.llm.models
    config.search.type = "topk"
    config.evaluator.cascade_evaluation = False
    (folder / "initial.yaml").write_text(program(SEED), "utf-8")
    found = run_discovery(folder / "initial.yaml", evolve.__file__, config, GENERATIONS, output_dir=str(folder / "out"), cleanup=False)
    return str(found.best_solution)


SEARCHERS: dict[str, Callable[[str, Path], str]] = {
    "openevolve": openevolve,
    "gepa": gepa,
    "shinka-evolve": shinka,
    "skydiscover": skydiscover,
}


def search(searcher: str, suite: str) -> str:
    """The best candidate of a search."""
    with tempfile.TemporaryDirectory() as folder:
        return SEARCHERS[searcher](suite, Path(folder))


def main() -> int:
    """Searches, and evaluates what was found on what was held back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("searcher", choices=sorted(SEARCHERS))
    parser.add_argument("--suite", default="herding")
    parser.add_argument("--again", action="store_true", help="search twice, and fail unless both searches find the same")
    asked = parser.parse_args()
    os.environ["TOKENYARD_SUITE"] = asked.suite
    best = search(asked.searcher, asked.suite)
    if asked.again:
        again = search(asked.searcher, asked.suite)
        assert again == best, f"the second search found another one: {again}"
    suite = evolve.Suite.load(asked.suite)
    train, held_back = suite.evaluate(best), suite.evaluate(best, "test")
    found = {
        "searcher": asked.searcher,
        "best": best,
        "train": train["combined_score"],
        "held_back": held_back["combined_score"],
        "digest": held_back["digest"],
    }
    print("FOUND", json.dumps(found))
    return 0 if held_back["combined_score"] > 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
