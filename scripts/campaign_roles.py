"""Random cases for scripts/campaign reference --roles: everything that the golden format of pools with roles (pd-golden/1) can say.

A case is a function of its number alone. `case` draws the document, `features` says what a finished case exercised.

What is drawn: prefill, decode and mixed pools in every order, one or several of each, some without replicas, some missing, none at all;
overrides of every setting that a pool may have; all deciders, both hand-overs, the first token from either side, policies of their own
for the second decision; ports from a byte in a microsecond to 10^17 bytes in a second, shared or not, other ports for single pools,
tokens of 0 to 327,680 bytes, transfers that land at once and transfers longer than everything else, overlap. A third of the
cases is crowded: caches of about one request on one side or on both, small batches and budgets. A quarter has blocks of one token or all
requests at the same instants. Traffic, latency models and gateways are those of campaign_cases.py.
"""
import collections
import random

from campaign_cases import NAMES, cut, gateway, horizon, latency, traffic

STATES = ["not_arrived", "in_pipeline", "queued", "running", "transferring", "landed", "completed", "rejected", "dropped"]


def pools(rng):
    """Roles and numbers of replicas."""
    kinds = [["prefill", "decode"]] * 12 + [["decode", "prefill"]] * 4 + [
        ["prefill", "decode", "mixed"], ["mixed", "prefill", "decode"], ["decode", "mixed", "prefill"], ["prefill", "prefill", "decode"],
        ["decode", "prefill", "decode"], ["prefill", "decode", "prefill", "decode"], ["decode"], ["decode", "decode"], ["mixed"],
        ["mixed", "mixed"], ["mixed", "prefill"], ["mixed", "decode"],
    ]
    out = [{"role": role, "replicas": rng.choice([1, 1, 1, 2, 2, 3, rng.randint(1, 6)])} for role in rng.choice(kinds)]
    if rng.random() < 0.05 and len(out) > 1:
        rng.choice(out)["replicas"] = 0
    if not any(p["replicas"] for p in out if p["role"] != "prefill"):
        out[-1].update(role="decode", replicas=1)
    return out


def decider(rng):
    kind = rng.choice(["always", "always", "always", "threshold", "threshold", "threshold", "never"])
    if kind != "threshold":
        return {"kind": kind}
    return {"kind": kind, "uncached_tokens": rng.choice([0, 1, 8, 16, 40, 200, 1 << 40]),
            "uncached_share": rng.choice([0, 0.0, 0.3, 0.7, 1.0, 1.5, rng.random()]), "prefill_in_flight": rng.choice([0, 0, 1, 2, 4, 9, 1 << 33])}


def port(rng, slow):
    if slow:
        return rng.choice([1_000_000, 3_000_000, 20_000_000, 60_000_007, rng.randint(500_000, 99_999_999)])
    return rng.choice([1_000_000_000, 1_000_000_009, 3_000_000_007, 50_000_000_000, 100_000_000_000, 10 ** 17, rng.randint(10 ** 6, 10 ** 11)])


def transfer(rng, slow, push):
    out = {
        "kv_bytes_per_token": rng.choice([1, 7, 1000, 1000, 2000, 2000] if slow else [0, 1, 1000, 1000, 131072, 131072, 327680, rng.randint(1, 10 ** 6)]),
        "port_bytes_per_s": port(rng, slow), "base_us": rng.choice([0, 0, 1, 50, 100, 150, 2500, rng.randint(0, 30_000)]),
        "overlap": rng.choice([0, 0.0, 0.25, 0.5, 0.6, 0.75, 0.97, 0.999, rng.random() * 0.999]) if push else rng.choice([0, 0.0]),
        "shared": rng.random() < 0.85,
    }
    if rng.random() < 0.1:
        del out[rng.choice(sorted(out))]
    return out


def disaggregation(rng, slow):
    handoff = rng.choice(["pull", "pull", "push"])
    scorers = rng.choice(["", None, "prefix-affinity:2,queue-depth:1", "queue-depth:1", "kv-utilization:1,load-balance:2", "prefix-affinity:1"])
    out = {"decider": decider(rng), "handoff": handoff, "first_token": rng.choice(["decode", "decode", "prefill"]),
           "prefill_routing_policy": rng.choice([None, None, "", "round-robin", "least-loaded", "always-busiest", "weighted", "weighted", "weighted"]),
           "prefill_routing_scorers": scorers, "transfer": transfer(rng, slow, handoff == "push")}
    for key in ["decider", "first_token", "prefill_routing_policy", "prefill_routing_scorers", "transfer"]:
        if rng.random() < 0.06:
            del out[key]
    if handoff == "pull" and rng.random() < 0.1:
        del out["handoff"]
    return out


def overrides(rng, pool, one, config, slow):
    """Settings of a pool's own."""
    def often(share):
        return rng.random() < share

    if often(0.35):
        pool["total_kv_blocks"] = rng.choice([max(1, one // 2), max(1, one - 1), one, one + 1, one + 3, 2 * one + 2, 4 * one + 8, 2000])
    if often(0.25):
        pool["max_num_running_reqs"] = rng.choice([1, 2, 3, 4, 6, 64, 1_000_000])
    if often(0.2):
        pool["max_num_scheduled_tokens"] = rng.choice([1, 2, 5, 16, 64, 512, 8192])
    if often(0.15):
        pool["long_prefill_token_threshold"] = rng.choice([0, 1, 5, 24, 1 << 30])
    if often(0.15):
        pool["alpha_coeffs"] = rng.choice([[0, 0, 0], [50, 2, 7.9], [0.0, 0.5, 0.0], [900.5, 0.0, 12.0]])
    if often(0.2):
        if config["latency_backend"] == "crossmodel":
            pool["beta_coeffs"] = [rng.uniform(0, 200), rng.uniform(0, 5000), rng.uniform(0, 90), 33.0]
        else:
            pool["beta_coeffs"] = rng.choice([[1000.0, 10.0, 1.0], [9000.0, 10, 1], [100, 1.5, 0.25], [5.0, 0.0, 0.0]])
    if often(0.15):
        pool["tp"] = rng.choice([1, 2, 4, 8])
    if often(0.15):
        pool["scheduler"] = rng.choice(NAMES + [""])
    if often(0.15):
        pool["priority_policy"] = rng.choice(["constant", "slo-based", "inverted-slo"])
    if often(0.2):
        pool["port_bytes_per_s"] = port(rng, slow)


def case(seed):
    """One document without `expected`."""
    rng = random.Random(seed * 7 + 3)
    crowded, slow, alike = rng.random() < 0.35, rng.random() < 0.4, rng.random() < 0.1
    block = rng.choice([1, 1, 4, 4, 4, 8, 16, 16, 32])
    longest, longest_answer = rng.choice([3, 12, 40, 60, 60, 150, 300]), rng.choice([1, 2, 8, 8, 20, 40])
    if crowded:
        block, longest, longest_answer = min(block, 16), min(longest, 60), rng.choice([8, 20, 40])
    requests = traffic(rng, longest, longest_answer, crowded)[:60]
    if alike:
        for request in requests:
            request["input"], request["output"]["n"] = [dict(request["input"][-1], n=longest)], longest_answer
    one = max(-(-(sum(s["n"] for s in r["input"]) + r["output"]["n"]) // block) for r in requests)
    model = latency(rng)
    if model["latency_backend"] == "blackbox" and rng.random() < 0.5:
        model["beta_coeffs"] = [1000.0, 10.0, 1.0]
    model.setdefault("tp", 1)
    if "hw_config" in model:
        model["hw_config"].setdefault("allReduceLatency", 20.0)
    step = int(model["beta_coeffs"][0]) if model["latency_backend"] == "blackbox" else 9000
    config = {
        "compat": "none", "total_kv_blocks": rng.choice([one + 1, 2 * one + 2, 3 * one + 2, 8 * one + 8, 5000]), "block_size_tokens": block,
        "kv_cpu_blocks": 0, "max_num_running_reqs": rng.choice([1, 2, 4, 8, 8, 64]),
        "max_num_scheduled_tokens": rng.choice([1, 8, 20, 64, 64, 512, 512, 8192]),
        "long_prefill_token_threshold": rng.choice([0, 0, 0, 5, 24]), "horizon_us": horizon(rng, requests, step) if rng.random() < 0.4 else 0,
        "scheduler": rng.choice(NAMES + ["fcfs", "fcfs", ""]), "priority_policy": rng.choice(["constant", "constant", "slo-based", "inverted-slo"]),
        "seed": 1, **model, **gateway(rng),
    }
    config["snapshot_refresh_interval_us"] = min(config["snapshot_refresh_interval_us"], 20000)
    if crowded or rng.random() < 0.7:
        config["admission_policy"] = "always-admit"
    if crowded:
        config.update(total_kv_blocks=rng.randint(one, 2 * one + 2), max_num_running_reqs=rng.choice([2, 4, 8]), horizon_us=config["horizon_us"] or 0)
    if rng.random() < 0.96:
        config["pools"] = pools(rng)
        for pool in config["pools"]:
            overrides(rng, pool, one, config, slow)
        config["num_instances"] = sum(p["replicas"] for p in config["pools"])
    else:
        config["num_instances"] = rng.randint(1, 3)
    if rng.random() < 0.95:
        config["disaggregation"] = disaggregation(rng, slow)
    if rng.random() < 0.2:
        del config["compat"]
    record = {"max_steps_per_instance": rng.choice([0, 0, 5, 40, 100_000]), "itl": rng.random() < 0.6, "candidates": rng.random() < 0.4}
    document = {"schema": "pd-golden/1", "name": f"campaign {seed}", "notes": "", "config": config, "requests": requests, "record": record}
    if rng.random() < 0.2:
        document["drop_record"] = True
    return document


def features(document, expected):
    """What a finished case exercised: a list of labels."""
    config, seen = document["config"], collections.Counter()
    pd = config.get("disaggregation") or {}
    summary = expected["summary"]

    def mark(label, holds=True):
        if holds:
            seen[label] += 1

    listed = config.get("pools") or [{"role": "mixed", "replicas": config["num_instances"]}]
    mark("pools " + "+".join(p["role"][0].upper() for p in listed))
    mark("pools absent", "pools" not in config)
    mark("a pool without replicas", any(p["replicas"] == 0 for p in listed))
    for key in sorted({key for p in listed for key in p} - {"role", "replicas"}):
        mark(f"own {key}")
    mark(f"hand-over {pd.get('handoff', 'pull')}, first token {pd.get('first_token', 'decode')}", summary["remote"])
    mark("decider " + pd.get("decider", {"kind": "always"})["kind"])
    for why in summary["decisions"]:
        mark(f"decision {why}")
    mark("own policy for the second decision", pd.get("prefill_routing_policy") and summary["remote"])
    mark("disaggregation absent", "disaggregation" not in config)
    mark("ports not shared", summary["transfers_landed"] and pd.get("transfer", {}).get("shared") is False)
    mark("transfers", summary["transfers_landed"])
    mark("several flows at once", summary["peak_flows"] > 1)
    mark("8 flows at once or more", summary["peak_flows"] >= 8)
    mark("bytes that left early", summary["overlapped_bytes"])
    mark("all bytes of a transfer left early but a block", any(t["overlapped"] > 0.9 * t["bytes"] for t in expected["transfers"]))
    mark("transfers of no bytes", any(t["bytes"] == 0 for t in expected["transfers"]))
    mark("transfers under way at the end", summary["transfers_started"] > summary["transfers_landed"])
    mark("reservations given up", summary["blocks"]["cancelled"])
    requests = expected["per_request"]
    mark("cached at home", any(r.get("home_cached_blocks") for r in requests))
    mark("preempted at home after landing", any(r["preemptions"] and "landed_us" in r and r["scheduled_us"] > r["decode_scheduled_us"] for r in requests))
    mark("preempted before landing", any(r["preemptions"] and r["prefill"] and r.get("prefill_first_us", 0) < r.get("scheduled_us", 0)
                                         and r.get("decode_scheduled_us") is None for r in requests))
    mark("waits for room at home", any("reserved_us" in r and r["reserved_us"] > r.get("prefill_end_us", r["reserved_us"]) for r in requests))
    mark("waits for a place at home", any("decode_scheduled_us" in r and r["decode_scheduled_us"] > r["landed_us"] for r in requests))
    by_role = {x["id"]: x["role"] for x in expected["per_instance"]}
    for role, reason in {(by_role[drop["instance"]], drop["reason"]) for drop in expected["drops"]}:
        mark(f"dropped on {role}: {reason}")
    for role in {by_role[f"instance_{entry[1]}"] for entry in expected["preemption_log"]}:
        mark(f"preempted on {role}")
    for state in STATES:
        mark(f"ends {state}", summary["requests"][state])
    kv = {x["role"]: x["kv"]["cache_hits"] for x in expected["per_instance"]}
    for role, hits in kv.items():
        mark(f"prefix hits on {role}", hits)
    mark(f"latency {config['latency_backend']}")
    mark(f"routing {config['routing_policy'] or 'round-robin'}")
    mark(f"scheduler {config['scheduler'] or '(empty)'}")
    mark("stale signals", config["snapshot_refresh_interval_us"])
    mark("horizon cuts", config["horizon_us"] and cut(expected, "none"))
    mark(f"block size {config['block_size_tokens']}")
    mark("record absent", "record" not in document)
    return seen
