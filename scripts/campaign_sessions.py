"""Random cases for scripts/campaign reference --sessions: the life of sessions' KV in the golden format of tiers (kv-golden/1).

A case is a function of its number alone. `case` draws the document, `features` says what a finished case exercised.

What is drawn: sessions whose turns continue their context, or strip a part of it, beside requests without a session; directives on ranges with and without an end
and a duration; every order of eviction on the GPU and in CPU memory; supersede, demotion, prefetch at every instant and to both places, hints within a
budget and without; below all that the tiers of campaign_tiers.py, or none. Left out: peers and faults, which are not simulated.
"""
import random

import campaign_tiers


def directives(rng, length):
    out = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        start = rng.choice([0, 0, 0, rng.randrange(length)])
        one = {"start": start, "priority": rng.choice([0, 20, 35, 40, 50, 70, 70, 90])}
        if rng.random() < 0.5:
            one["end"] = start + rng.randint(1, length)
        if rng.random() < 0.7:
            one["duration_us"] = rng.choice([0, 1000, 5000, 20_000, 100_000])
        out.append(one)
    return out


def requests(rng, block):
    sessions = [{"name": f"s{i}", "context": [{"s": rng.randint(1, 3), "n": rng.choice([8, 12, 16, 24]), "o": 0}]} for i in range(rng.randint(1, 5))]
    out, at, says = [], 0, rng.choice([0.0, 0.3, 0.8])
    for i in range(rng.randint(6, 26)):
        at += rng.choice([0, 1000, 4000, 10_000, rng.randint(0, 20_000), rng.randint(0, 60_000), 40_000])
        answer = {"s": 5000 + i, "n": rng.choice([1, 1, 2, 4, 9]), "o": 0}
        own = {"s": 1000 + i, "n": rng.choice([1, 3, 5, 8, 13]), "o": 0}
        if rng.random() < 0.2:
            request = {"id": f"r{i}", "arrival_us": at, "input": [{"s": rng.randint(1, 3), "n": rng.choice([8, 16, 20]), "o": 0}, own], "output": answer}
        else:
            session = rng.choice(sessions)
            prompt = session["context"] + [own]
            # A context that was edited goes on without the answer, or without what came before it.
            session["context"] = prompt if rng.random() < 0.2 else prompt + [answer]
            if sum(piece["n"] for piece in session["context"]) > 70:
                session["context"] = session["context"][:1]
            request = {"id": f"r{i}", "arrival_us": at, "input": list(prompt), "output": answer, "session": session["name"]}
        if rng.random() < says:
            request["retain"] = directives(rng, sum(piece["n"] for piece in request["input"]))
        out.append(request)
    return out


def prefetch(rng, kv):
    out = {"when": rng.choice(["known", "known", "fixed", "ewma", "pause"]), "lead_us": rng.choice([0, 500, 1500, 5000, 12_000]),
           "gap_us": rng.choice([0, 3000, 8000, 30_000]), "weight_milli": rng.choice([1, 300, 500, 1000]), "to": "gpu",
           "reserve_blocks": rng.choice([0, 0, 0, 2, 5]), "hold_us": rng.choice([0, 0, 8000, 60_000])}
    if "cpu" in kv and kv.get("tiers") and rng.random() < 0.4:
        out["to"] = "cpu"
    return out


def session(rng, kv):
    out = {}
    if rng.random() < 0.3:
        out["supersede"] = True
    if rng.random() < 0.3:
        out["demote_us"] = rng.choice([0, 500, 2000, 10_000])
    if rng.random() < 0.6:
        out["prefetch"] = prefetch(rng, kv)
    if rng.random() < 0.4:
        out["hint"] = {"quantile": rng.choice([0.1, 0.5, 0.9, 0.99]), "min_us": 1000, "max_us": rng.choice([2000, 60_000, 600_000]),
                       "priority": rng.choice([20, 70, 90]), "tokens": rng.choice([0, 4, 8, 24]), "budget_tokens": rng.choice([0, 0, 24, 60]),
                       "least_gaps": rng.choice([1, 2, 4])}
    return out


def case(seed):
    """One document without `expected`."""
    document = campaign_tiers.case(seed)
    rng = random.Random(seed * 17 + 3)
    config = document["config"]
    kv, block = config["kv"], config["block_size_tokens"]
    if rng.random() < 0.7:
        kv.setdefault("cpu", {"write": "full"})["blocks"] = rng.choice([12, 20, 30, 60, 100])
    if "cpu" in kv and rng.random() < 0.8:
        config["beta_coeffs"] = [1000.0, 10.0, 1.0]
    kv["retention"] = {"order": rng.choice(["lru", "vllm", "vllm", "sglang", "sglang", "trtllm", "belady"])}
    if "cpu" in kv and rng.random() < 0.3:
        kv["cpu"]["eviction"] = "belady"
    kv["session"] = session(rng, kv)
    document["requests"] = requests(rng, block)
    longest = max(-(-(sum(s["n"] for s in r["input"]) + r["output"]["n"]) // block) for r in document["requests"])
    config["total_kv_blocks"] = longest + rng.choice([0, 1, 1, 2, 4, 8])
    config["num_instances"] = rng.choice([1, 1, 1, 2])
    for fault in config["kv"].get("faults", []):
        if "instance" in fault:
            fault["instance"] %= config["num_instances"]
    document["name"] = f"sessions_{seed}"
    return document


def features(document, expected):
    """What a case exercised."""
    kv, seen = document["config"]["kv"], campaign_tiers.features(document, expected)
    seen[f"order: {kv['retention']['order']}"] += 1
    seen["CPU tier: belady"] += kv.get("cpu", {}).get("eviction") == "belady"
    seen["directives"] += any("retain" in r for r in document["requests"])
    for key, value in kv["session"].items():
        seen[f"session: {key}"] += 1
        if key == "prefetch":
            seen[f"prefetch: {value['when']} to {value['to']}"] += 1
    for outcome in {p["outcome"] for p in expected["kv"]["prefetches"]}:
        seen[f"prefetch: {outcome}"] += 1
    for what in ("useful", "wasted"):
        seen[f"prefetch: {what} blocks"] += any(p[what] for p in expected["kv"]["prefetches"])
    return +seen
