"""Random cases for scripts/campaign reference --tiers: what the golden format of tiers (kv-golden/1) can say and is simulated.

A case is a function of its number alone. `case` draws the document, `features` says what a finished case exercised.

What is drawn: a CPU tier or none, disks and stores below it in any order, every rule of writing for each, every eviction, leases and times to
live, ports from ten bytes in a microsecond on, shared or not, every rule of loading and of waiting, both instants of asking; caches of a few prompts
on the GPU and in every tier, so that all of them evict; texts that come again; peers with a CPU tier at both ends; routers that weigh tiers;
crashes and stores that are down. Left out: orders of eviction on the GPU, prefetch, hints and demotion, which are not simulated; and a watermark
of a store without an end, which evicts at each put there.
"""
import collections
import random

RATES = [1_000_000, 10_000_000, 100_000_000, 100_000_000, 1_000_000_000, 1_000_000_000, 7_000_003]


def write(rng, out, through):
    out["write"] = rng.choice([through, through, through, "release", "hits", "evict"])
    if out["write"] == "hits":
        out["write_hits"] = rng.choice([1, 2, 2, 3])
    return out


def tiers(rng):
    kv, below = {}, []
    if rng.random() < 0.7:
        kv["cpu"] = write(rng, {"blocks": rng.choice([1, 4, 6, 8, 12, 16, 30, 100])}, "full")
        if rng.random() < 0.2:
            kv["cpu"]["ttl_us"] = rng.choice([1, 3000, 10_000, 40_000])
    kinds = rng.choice([["fs"], ["fs"], ["store"], ["store"], ["fs", "store"], ["store", "fs"], ["fs", "fs"], []])
    for k, kind in enumerate(kinds):
        tier = write(rng, {"type": kind}, "through")
        if kinds.count(kind) > 1:
            tier["name"] = f"{kind}{k}"
        if kind == "fs":
            tier.update(blocks=rng.choice([0, 0, 3, 8, 12, 20, 40]), eviction=rng.choice(["none", "lru", "lru"]),
                        read_bytes_per_s=rng.choice(RATES), write_bytes_per_s=rng.choice(RATES), latency_us=rng.choice([0, 0, 100, 400, 2000]),
                        n_read_threads=rng.choice([1, 2, 16]), n_write_threads=rng.choice([1, 2, 16]))
        below.append(tier)
    if below:
        kv["tiers"] = below
    if "store" in kinds:
        eviction = rng.choice(["none", "lru", "lru", "watermark", "watermark"])
        kv["store"] = {"blocks": rng.choice([6, 10, 16, 24, 60] + ["none", "lru"].count(eviction) * [0, 0]), "eviction": eviction,
                       "high_watermark": rng.choice([0.5, 0.9, 1.0]), "eviction_share": rng.choice([0.05, 0.3, 0.5]),
                       "lease_us": rng.choice([0, 0, 0, 800, 30_000]), "ttl_us": rng.choice([0, 0, 0, 8000, 30_000]),
                       "read_bytes_per_s": rng.choice(RATES), "write_bytes_per_s": rng.choice(RATES), "base_us": rng.choice([0, 50, 50, 985])}
    return kv


def rules(rng, kv):
    if rng.random() < 0.4:
        kv["read"] = rng.choice([{"rule": "always"}, {"rule": "tokens", "min_tokens": rng.choice([1, 8, 12, 16, 40])},
                                 {"rule": "cost", "ns_per_token": rng.choice([1, 5000, 10_000, 20_000, 100_000, 1_000_000])}])
    if "cpu" in kv and rng.random() < 0.3:
        kv["wait"] = {"until": "timeout", "base_us": rng.choice([0, 300, 900, 2000]), "per_ki_token_us": rng.choice([0, 1000, 40_000])}
    if "cpu" in kv and rng.random() < 0.3:
        kv["ask"] = "arrival"
    if rng.random() < 0.2:
        kv["prompt_only"] = True
    if rng.random() < 0.15:
        kv["shared_ports"] = False


def requests(rng, block):
    texts, out, at = rng.randint(2, 6), [], 0
    lengths = [rng.choice([8, 12, 16, 17, 24, 32, 40]) for _ in range(texts)]
    for i in range(rng.randint(6, 30)):
        at += rng.choice([0, 0, 100, 1000, 3000, 6000, rng.randint(0, 12_000)])
        text = rng.randrange(texts)
        own = rng.choice([0, 0, 1, 5, 9])
        pieces = [{"s": text + 1, "n": lengths[text], "o": 0}]
        if own:
            pieces.append({"s": 1000 + i, "n": own, "o": 0})
        request = {"id": f"r{i}", "arrival_us": at, "input": pieces, "output": {"s": 5000 + i, "n": rng.choice([1, 1, 2, 4, 9]), "o": 0}}
        if rng.random() < 0.15:
            # Goes on from an earlier request and its answer.
            before = rng.choice(out) if out else request
            request["input"] = before["input"] + [before["output"]] * (before is not request)
        if rng.random() < 0.1:
            request["max_offload_tokens"] = rng.choice([0, block, 3 * block, 100])
        out.append(request)
    return out


def peers(rng, config, all_requests):
    """Some cases have a tier of peers, a router that weighs tiers, or both."""
    kv = config["kv"]
    if "cpu" in kv and rng.random() < 0.5:
        tier = {"type": "p2p", "base_us": rng.choice([0, 80, 80, 700]), "min_cached_token_delta": rng.choice([1, 4, 4, 16])}
        kv.setdefault("tiers", []).insert(rng.randint(0, len(kv.get("tiers", []))), tier)
        config["num_instances"] = rng.choice([2, 2, 3, 5])
        for i, request in enumerate(all_requests):
            request["id"] = f"{i * 2654435761 % 2**32:08x}-{i}"
    if rng.random() < 0.25:
        config["num_instances"] = max(2, config["num_instances"])
        config["routing_policy"] = "weighted"
        config["routing_scorers"] = rng.choice(["tier-prefix:1", "tier-prefix:2,queue-depth:1", "load-balance:1,tier-prefix:3", "tier-prefix:1,kv-utilization:1"])
        if rng.random() < 0.5:
            kv["scorer_weights"] = {name: rng.choice([0.0, 0.1, 0.25, 0.75, 1.0]) for name in ["gpu", "cpu", "fs", "store"]}


def faults(rng, config):
    """A few cases have a crash, or a store that is down for a while, at instants at which nothing else happens."""
    kv = config["kv"]
    kinds = ["crash"] + ["store_down"] * ("store" in kv)
    if rng.random() < 0.15:
        at = rng.randint(1, 60) * 1000 + 137
        fault = {"kind": rng.choice(kinds), "from_us": at, "until_us": at + rng.choice([1063, 7019, 30_011])}
        if fault["kind"] == "crash":
            fault["instance"] = rng.randrange(config["num_instances"])
        kv["faults"] = [fault]


def case(seed):
    """One document without `expected`."""
    rng = random.Random(seed * 13 + 5)
    block = rng.choice([4, 4, 4, 4, 8, 2])
    kv = {"bytes_per_token": rng.choice([1000, 1000, 1000, 333, 40_000]), "port_bytes_per_s": rng.choice(RATES), **tiers(rng)}
    rules(rng, kv)
    all_requests = requests(rng, block)
    longest = max(-(-(sum(s["n"] for s in r["input"]) + r["output"]["n"]) // block) for r in all_requests)
    instances = rng.choice([1, 1, 1, 2, 2, 3])
    config = {
        "compat": "none", "horizon_us": 0, "num_instances": instances, "total_kv_blocks": longest + rng.choice([0, 0, 1, 2, 4, 8, 20]),
        "block_size_tokens": block, "kv_cpu_blocks": 0, "kv_offload_threshold": 0.9, "kv_transfer_bandwidth": rng.choice([4.0, 4.0, 0.5, 1000.0]),
        "kv_transfer_base_latency": rng.choice([0, 100, 100, 700]), "max_num_running_reqs": rng.choice([1, 2, 3, 8, 8]),
        "max_num_scheduled_tokens": rng.choice([8, 16, 40, 4096, 4096]), "long_prefill_token_threshold": rng.choice([0, 0, 0, 6]),
        "alpha_coeffs": [0.0, 0.0, 0.0], "beta_coeffs": rng.choice([[1000.0, 10.0, 1.0], [1000.0, 10.0, 1.0], [50.0, 200.0, 5.0]]),
        "latency_backend": "blackbox", "tp": 1, "admission_policy": "always-admit", "token_bucket_capacity": 10000.0,
        "token_bucket_refill_rate": 1000.0, "admission_latency_us": 0, "routing_policy": rng.choice(["round-robin", "round-robin", "least-loaded"]),
        "routing_scorers": "", "routing_latency_us": 0, "snapshot_refresh_interval_us": 0, "scheduler": rng.choice(["fcfs", "fcfs", "sjf"]),
        "priority_policy": "constant", "counterfactual_k": 0, "seed": 1, "kv": kv,
    }
    peers(random.Random(seed * 17 + 3), config, all_requests)
    faults(random.Random(seed * 19 + 7), config)
    return {"schema": "kv-golden/1", "name": f"tiers_{seed}", "record": {"max_steps_per_instance": 400}, "config": config, "requests": all_requests}


def features(document, expected):
    """What a case exercised."""
    kv, seen = document["config"]["kv"], collections.Counter()
    of = expected["kv"]
    for kind in {tier["type"] for tier in kv.get("tiers", [])}:
        seen[f"tier: {kind}"] += 1
    seen["CPU tier" if "cpu" in kv else "no CPU tier"] += 1
    for outcome in {(flow["kind"], flow["outcome"]) for flow in of["flows"]}:
        seen[f"flow: {outcome[0]} {outcome[1]}"] += 1
    for what in {line[0] for r in expected["per_request"] for line in r.get("kv", {}).get("log", [])}:
        seen[f"asked: {what}"] += 1
    for name in ("refused", "evicted", "expired"):
        seen[f"CPU tier: {name}"] += any(x.get("cpu", {}).get(name, 0) for x in of["instances"])
        seen[f"store: {name}"] += of.get("store", {}).get(name, 0) > 0
        seen[f"disk: {name}"] += any(t.get("pool", {}).get(name, 0) for x in of["instances"] for t in x["tiers"])
    seen["reading refused"] += any(r.get("kv", {}).get("read_refused") for r in expected["per_request"])
    seen["a source named"] += any("source" in r.get("kv", {}) for r in expected["per_request"])
    seen["pulled"] += any(flow["from"] and flow["outcome"] == "landed" for flow in of["flows"])
    seen["pull failed or given up"] += any(flow["from"] and flow["outcome"] in ("failed", "cancelled") for flow in of["flows"])
    seen["tiers weighed"] += "tier-prefix" in document["config"]["routing_scorers"]
    for kind in {fault["kind"] for fault in kv.get("faults", [])}:
        seen[f"fault: {kind}"] += 1
    seen["lost"] += any(x["lost"] for x in of["instances"])
    seen["preemption"] += bool(expected["preemption_log"])
    seen["more than one flow at once"] += of["peak_flows"] > 1
    return +seen
