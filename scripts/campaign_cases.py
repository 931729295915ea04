"""Random cases for scripts/campaign reference: everything that the golden format (engine-golden/1) can say is drawn sometimes.

A case is a function of its number alone. `case` draws the document, `features` says what a finished case exercised.

What is drawn: one to 13 replicas, in a few cases up to 64; blocks of 1 to 1,024 tokens; caches from one block, or half of what the
longest request needs, to thousands; batches and budgets from 1 to beyond everything; prompts to 3,000 and outputs to 120 tokens.
Half of the cases are crowded: 8 to 40 requests at once on one or two replicas whose cache is too small for them. Three in ten are
corners: one to ten replicas with caches of 3 to 12 blocks of 1, 4 or 16 tokens, outputs up to three caches (180 tokens at most), half of
them all of the same lengths, batches and budgets from 1. One in twenty has a setting at the limit of a scenario: latencies of an hour,
coefficients of 1e9 us, buckets of 1e12 tokens, 200,000 blocks.
"""
import collections
import random

# Shapes as published: layers, hidden, heads, KV heads, feed-forward, vocabulary, experts, experts for each token.
SHAPES = [
    (32, 4096, 32, 8, 14336, 128256, 0, 0), (80, 8192, 64, 8, 28672, 128256, 0, 0), (32, 4096, 32, 32, 11008, 32000, 0, 0),
    (28, 3584, 28, 4, 18944, 152064, 0, 0), (32, 4096, 32, 8, 14336, 32000, 8, 2), (60, 7168, 56, 8, 20480, 64000, 0, 0),
    (48, 2048, 32, 4, 6144, 151936, 128, 8), (16, 2048, 32, 8, 8192, 128256, 0, 0), (40, 5120, 40, 10, 17920, 100352, 0, 0),
    (22, 4096, 32, 1, 11008, 65024, 0, 0),
]
# Memory, peak, bandwidth.
GPUS = [(80.0, 989.5, 3.35), (80.0, 312.0, 2.039), (48.0, 362.05, 0.864), (141.0, 989.5, 4.8), (24.0, 121.0, 0.3)]
NAMES = ["fcfs", "sjf", "priority-fcfs", "reverse-priority"]


def segments(rng, done, number, longest, conversation):
    """A prompt: own text, text shared with others, or an earlier prompt with its answer and something new."""
    own = {"s": 1000 + 10 * number, "n": rng.randint(1, longest)}
    if conversation and done:
        return done[-1]["input"] + [done[-1]["output"], own]
    kind = rng.random()
    if done and kind < 0.25:
        before = rng.choice(done)
        answer = dict(before["output"], n=rng.choice([before["output"]["n"], before["output"]["n"] // 2]))
        return before["input"] + [answer, own]
    if kind < 0.55:
        shared = {"s": rng.randint(1, 3), "n": rng.randint(1, longest)}
        return [shared] + ([own] if rng.random() < 0.6 else [])
    if kind < 0.62:
        # The same text from another position, from the far end of the numbers, and a piece of nothing.
        return [{"s": 2, "n": rng.randint(1, longest), "o": rng.choice([0, 1, 16, 4_000_000_000])},
                {"s": 4294967295, "n": rng.randint(0, 3)}]
    if kind < 0.68:
        return [{"s": rng.randint(1, 3), "n": rng.randint(1, 2)} for _ in range(rng.randint(1, 9))]
    return [own]


def identifiers(rng, count):
    """Names whose order as texts is, or is not, the order of the list."""
    kind = rng.randrange(6)
    if kind <= 1:
        return [f"request_{i}" for i in range(count)]
    if kind == 2:
        return [f"r{count - i:04}" for i in range(count)]
    if kind == 3:
        return [rng.choice(["a", "B", "Zz", "é", "語", "~", " ", "_"]) + f"-{i}" for i in range(count)]
    if kind == 4:
        return [str(i) for i in range(count)]
    names = [f"{rng.getrandbits(40):x}/{i}" for i in range(count)]
    rng.shuffle(names)
    return names


def traffic(rng, longest, longest_answer, crowded):
    done, now, gap = [], rng.choice([0, 0, 7]), rng.choice([0, 1, 30, 400, 3000, 3000, 20000, 1_000_000])
    count = rng.choice([1, 2, 3, 8, 8, 20, 20, 40, rng.choice([40, 150])])
    conversation = rng.random() < 0.04  # every prompt has all before it
    if conversation:
        longest = min(longest, 12)
    if crowded:
        gap, count = rng.choice([0, 30, 400]), rng.choice([8, 20, 40])
    names = identifiers(rng, count)
    for number in range(count):
        n = rng.choice([0, 1, rng.randint(0, longest_answer), rng.randint(0, longest_answer)])
        answer = {"s": 1001 + 10 * number, "n": n}
        if rng.random() < 0.05:
            answer["o"] = rng.randint(0, 50)
        done.append({"id": names[number], "arrival_us": now, "input": segments(rng, done, number, longest, conversation),
                     "output": answer})
        if rng.random() < 0.65:
            now += rng.randint(0, 2 * gap)
    if rng.random() < 0.3:
        rng.shuffle(done)  # the list need not be in order of arrival
    kind = rng.randrange(4)
    for request in done:
        if kind == 1 or (kind == 2 and rng.random() < 0.5):
            request["slo"] = rng.choice(["", "critical", "standard", "sheddable", "batch", "background"])
        if kind == 1 or (kind == 2 and rng.random() < 0.5):
            request["tenant"] = rng.choice(["", "t0", "t1", "t10"])
        if kind == 3:
            request["slo"], request["tenant"] = rng.choice(["gold", "default", None]), rng.choice(["ü", None])
    return done


def latency(rng):
    """Settings of one of the three latency models."""
    alpha = rng.choice([[0.0] * 3, [0.0] * 3, [0, 0, 0], [rng.uniform(0, 900), rng.uniform(0, 4), rng.uniform(0, 90)],
                        [0.999, 0.0005, 0.999], [232.46191091038054, 1.752360364195244, 3357.4400353290152],
                        [0.0, 0.3, 0.0], [250000.0, 0.0, 0.0]])
    kind = rng.choice(["blackbox", "blackbox", "roofline", "crossmodel"])
    if kind == "blackbox":
        beta = rng.choice([[0.0] * 3, [0.4, 0.3, 0.2], [100.0, 0.0, 0.0], [6900.5, 17.67, 2.84], [0.0, 1e-9, 1e-9],
                           [1e6, 0.125, 3.0], [float(rng.randint(50, 2000)), rng.randint(0, 160) / 8, rng.randint(0, 80) / 8]])
        out = {"latency_backend": kind, "alpha_coeffs": alpha, "beta_coeffs": beta}
        if rng.random() < 0.7:
            out["tp"] = rng.choice([1, 2])
        if rng.random() < 0.2:
            out["model_config"], out["hw_config"] = shape(rng), hardware(rng)
        return out
    out = {"latency_backend": kind, "alpha_coeffs": alpha, "beta_coeffs": [0, 0, 0], "model_config": shape(rng),
           "tp": rng.choice([1, 1, 2, 4, 8, 8, 16, 3])}
    if kind == "roofline":
        out["hw_config"] = hardware(rng)
    else:
        out["beta_coeffs"] = rng.choice([[116.11, 1226.868, 19.943, 9445.157], [0.0] * 4, [1.5, 0.0, 2.25, 0.5],
                                         [rng.uniform(0, 200), rng.uniform(0, 5000), rng.uniform(0, 90), 33.0]])
        if rng.random() < 0.3:
            out["hw_config"] = hardware(rng)
    return out


def shape(rng):
    layers, hidden, heads, kv, ffn, vocab, experts, chosen = rng.choice(SHAPES)
    if rng.random() < 0.3:  # one of its own
        heads = rng.choice([1, 2, 12, 24])
        kv, hidden = rng.choice([0, 1, heads]), heads * rng.choice([1, 64, 80, 96, 128])
        layers, ffn = rng.randint(1, 130), rng.choice([0, 1, 3072, 20000])
        experts = rng.choice([0, 0, 1, 8, 256])
        chosen = min(experts, rng.choice([0, 1, 8]))
    out = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv,
           "intermediate_size": ffn, "vocab_size": vocab, "num_local_experts": experts, "num_experts_per_tok": chosen,
           "bytes_per_param": rng.choice([2, 2, 2.0, 1, 0.5, 4, 0.53125])}
    if rng.random() < 0.2:
        del out["vocab_size"]
    if rng.random() < 0.2:
        del out["num_experts_per_tok"]
    return out


def hardware(rng):
    memory, peak, bandwidth = rng.choice(GPUS)
    if rng.random() < 0.3:
        memory, peak, bandwidth = 16.0, rng.uniform(1, 4000), rng.uniform(0.01, 20)
    out = {"MemoryGiB": memory, "TFlopsPeak": peak, "BwPeakTBs": bandwidth, "BwEffConstant": 0.72, "TOverheadMicros": 500.0,
           "perLayerOverhead": 20.0, "allReduceLatency": 20.0, "mfuPrefill": 0.65, "mfuDecode": 0.12}
    if rng.random() < 0.4:
        out.update(BwEffConstant=rng.uniform(0.05, 1), TOverheadMicros=rng.choice([0, 0.25, 7.75, 90000.0]),
                   perLayerOverhead=rng.uniform(0, 90), allReduceLatency=rng.choice([0.0, rng.uniform(0, 300)]),
                   mfuPrefill=rng.uniform(0.01, 1), mfuDecode=rng.uniform(0.01, 1))
    return out


def tier(rng):
    """The cache below the cache, or none; without one its settings may be absent."""
    blocks = rng.choice([0, 0, 1, 3, 40, 1000])
    if blocks == 0 and rng.random() < 0.4:
        return {"kv_cpu_blocks": 0}
    return {"kv_cpu_blocks": blocks, "kv_offload_threshold": rng.choice([0.0, 0.3, 0.5, 0.9, 1.0]),
            "kv_transfer_bandwidth": rng.choice([0.5, 3.0, 100.0, 1e6]), "kv_transfer_base_latency": rng.choice([0, 7, 300, 2000])}


def gateway(rng):
    names = ["queue-depth", "kv-utilization", "load-balance", "prefix-affinity"]
    own = ",".join(rng.choice(["", " "]) + f"{name}:{rng.choice(['1', '2', '0.25', '1e-3', '7.5', '1000'])}"
                   for name in rng.sample(names, rng.randint(1, 4)))
    policy = rng.choice(["always-admit"] * 13 + ["", "token-bucket", "token-bucket", "token-bucket", "reject-all"])
    return {
        "admission_latency_us": rng.choice([0, 0, 0, 1, 170, 5000]), "routing_latency_us": rng.choice([0, 0, 0, 1, 90, 5000]),
        "snapshot_refresh_interval_us": rng.choice([0, 0, 0, 0, 1, 500, 20000, 20000, 3_600_000_000, 2 ** 62]),
        "routing_policy": rng.choice(["round-robin", "", "least-loaded", "always-busiest", "weighted", "weighted", "weighted"]),
        "routing_scorers": rng.choice(["", "", None, own, own, own]),
        "admission_policy": policy,
        "token_bucket_capacity": rng.choice([0.5, 30.0, 200.0, 10000]),
        "token_bucket_refill_rate": rng.choice([1e-3, 10.0, 1000.0, 1e6]),
        "counterfactual_k": rng.choice([0, 1, 2, 8, 100]),
    }


def horizon(rng, requests, step):
    """None, one that cuts anywhere, or one on or beside the instant of an arrival."""
    last = max(r["arrival_us"] for r in requests)
    kind = rng.randrange(10)
    if kind <= 4:
        return rng.choice([0, 0, 0, None, 2 ** 63 - 1, 2_592_000_000_000])
    if kind == 5:
        return max(1, rng.choice(requests)["arrival_us"] + rng.choice([-1, 0, 0, 1]))
    bounded = last + (step + 30) * rng.randint(5, 300)
    return bounded if kind <= 7 else rng.randint(1, bounded)


def case(seed):
    """One document without `expected`."""
    rng = random.Random(seed)
    block = rng.choice([1, 1, 2, 3, 4, 8, 16, 16, 32, 64, 1024])
    longest, longest_answer = rng.choice([3, 12, 60, 300, rng.choice([300, 2000])]), rng.choice([1, 2, 8, 40, 120])
    crowded = rng.random() < 0.5  # many requests at once on few blocks
    if crowded:
        block, longest_answer = min(block, 32), rng.choice([8, 40, 40, 120])
    corner = not crowded and rng.random() < 0.6  # small caches on several replicas
    if corner:
        block, few = rng.choice([1, 1, 4, 16]), rng.randint(3, 12)
        longest, longest_answer = rng.choice([3, 12, 60]), min(180, rng.randint(1, 3 * few * block))
    memory = not corner and rng.random() < 0.02  # more prompt blocks than the router remembers
    if memory:
        block, longest = 1, 3000
    requests = traffic(rng, longest, longest_answer, crowded)
    if corner and rng.random() < 0.5:  # all of the same lengths
        for request in requests:
            request["input"], request["output"]["n"] = [dict(request["input"][-1], n=longest)], longest_answer
    one = -(-(longest + longest_answer) // block)
    blocks = rng.choice([rng.randint(one // 2 + 1, one + 1), rng.randint(one, 2 * one + 2), rng.randint(one, 3 * one + 2),
                         rng.randint(one, 3 * one + 2), 8 * one + 8, 5000, rng.choice([1, 20000])])
    model = latency(rng)
    beta = model["beta_coeffs"]
    step = int(beta[0]) if model["latency_backend"] == "blackbox" else 9000
    config = {
        "compat": rng.choice(["none", "none", "blis"]), "num_instances": rng.choice([1, 1, 1, 1, 1, 2, 2, 3, 4, 11, 13]),
        "total_kv_blocks": blocks, "block_size_tokens": block,
        "max_num_running_reqs": rng.choice([1, 2, 4, 4, 8, 8, 64, 1_000_000]),
        "max_num_scheduled_tokens": rng.choice([1, 2, 5, 8, 20, 64, 64, 512, 512, 8192, 10_000_000]),
        "long_prefill_token_threshold": rng.choice([0, 0, 1, 2, 5, 16, 33, 1_000_000_000]),
        "horizon_us": horizon(rng, requests, step),
        "scheduler": rng.choice(NAMES + ["fcfs", ""]),
        "priority_policy": rng.choice(["constant", "slo-based", "inverted-slo", ""]),
        "seed": rng.choice([1, 42, 2 ** 53]), **model, **tier(rng), **gateway(rng),
    }
    if crowded:
        config.update(num_instances=rng.choice([1, 1, 2]), admission_policy="always-admit", horizon_us=0,
                      max_num_running_reqs=rng.choice([2, 4, 8, 64]), total_kv_blocks=rng.randint(one + 1, 2 * one + 4),
                      max_num_scheduled_tokens=rng.choice([3, 8, 20, 64, 512, 8192]))
        if rng.random() < 0.5:
            config.update(kv_cpu_blocks=rng.choice([2, 10, 40, 1000]), kv_offload_threshold=rng.choice([0.0, 0.1, 0.3, 0.6]),
                          kv_transfer_bandwidth=3.0, kv_transfer_base_latency=rng.choice([0, 7]))
        if rng.random() < 0.3:
            config["horizon_us"] = horizon(rng, requests, step)
    if memory:
        config.update(routing_policy="weighted", routing_scorers="prefix-affinity:2,load-balance:1", num_instances=1,
                      total_kv_blocks=20000, admission_policy="always-admit")
    if corner:
        config.update(num_instances=rng.randint(1, 10), total_kv_blocks=few, admission_policy="always-admit",
                      max_num_running_reqs=rng.choice([1, 2, 3, 8, 64, 65536]),
                      max_num_scheduled_tokens=rng.choice([1, 2, 8, 64, 512, 8192]), horizon_us=0)
        if rng.random() < 0.3:
            config["horizon_us"] = horizon(rng, requests, step)
    if not crowded and rng.random() < 0.05:
        config["num_instances"] = rng.choice([24, 40, 64])
    if rng.random() < 0.05:
        config.update(rng.choice([
            {"admission_latency_us": 3_600_000_000}, {"routing_latency_us": 3_600_000_000}, {"alpha_coeffs": [1e9, 1e9, 1e9]},
            {"token_bucket_capacity": 1e12, "token_bucket_refill_rate": 1e12}, {"token_bucket_refill_rate": 1e-6},
            {"total_kv_blocks": 200_000, "num_instances": 1}, {"long_prefill_token_threshold": 1 << 20},
        ]))
        if model["latency_backend"] == "blackbox" and rng.random() < 0.3:
            config["beta_coeffs"] = [1e9, 1e9, 1e9]
        # A longer run may refresh signals that were meant never to be: the program refuses intervals above an hour then.
        config["snapshot_refresh_interval_us"] = min(config["snapshot_refresh_interval_us"], 20000)
    if config["compat"] == "none" and rng.random() < 0.2:
        del config["compat"]
    if rng.random() < 0.1:
        del config["seed"]
    record = {}
    if rng.random() < 0.9:
        record["max_steps_per_instance"] = rng.choice([0, 0, 1, 30, 200, 100_000])
    if rng.random() < 0.9:
        record["itl"] = rng.random() < 0.5
    if rng.random() < 0.9:
        record["candidates"] = rng.random() < 0.6
    document = {"schema": "engine-golden/1", "name": f"campaign {seed}", "notes": "", "config": config,
                "requests": requests, "record": record}
    if rng.random() < 0.3:
        document["drop_record"] = True  # the finished file leaves the key out: it follows from what was recorded
    return document


def features(document, expected):
    """What a finished case exercised: a list of labels."""
    config, requests, record = document["config"], document["requests"], document.get("record", {})
    seen = collections.Counter()

    def mark(label, holds=True):
        if holds:
            seen[label] += 1

    compat = config.get("compat", "none")
    backend, policy = config["latency_backend"], config["routing_policy"] or "round-robin"
    mark(f"mode {compat}")
    mark("compat absent", "compat" not in config)
    mark(f"latency {backend}")
    if backend != "blackbox":
        m, tp = config["model_config"], config["tp"]
        mark(f"{backend} tp {tp}")
        mark("grouped queries", 0 < m["num_key_value_heads"] < m["num_attention_heads"])
        mark("experts", m["num_local_experts"] > 0)
        mark("weights below 16 bits", m["bytes_per_param"] < 2)
        mark("default feed-forward width", m["intermediate_size"] == 0)
        mark("KV heads 0", m["num_key_value_heads"] == 0)
        mark("heads not divisible by tp", m["num_attention_heads"] % tp > 0)
        mark("fewer KV heads than tp", 0 < m["num_key_value_heads"] < tp)
    mark("alpha zero", not any(config["alpha_coeffs"]))
    mark("alpha fractional", any(a % 1 for a in config["alpha_coeffs"]))
    mark("beta zero", backend == "blackbox" and not any(config["beta_coeffs"]))
    mark(f"scheduler {config['scheduler'] or '(empty)'}")
    mark(f"priority {config['priority_policy'] or '(empty)'}")
    mark(f"admission {config['admission_policy']}")
    mark(f"routing {policy}")
    mark("routing name empty", config["routing_policy"] == "")
    if policy == "weighted":
        text = config["routing_scorers"] or "prefix-affinity:3,queue-depth:2,kv-utilization:2"
        for part in text.split(","):
            mark(f"scorer {part.split(':')[0].strip()}")
        mark("default profile", not config["routing_scorers"])
        mark("router memory overflows", max(collections.Counter(
            i for d in expected["routing"] for i in [d["to"]] for _ in range(lengths(document).get(d["id"], 0))
        ).values(), default=0) > 10000)
    instances = config["num_instances"]
    mark(f"instances {'1' if instances == 1 else '2 to 10' if instances <= 10 else 'above 10'}")
    k = config["counterfactual_k"]
    mark("counterfactual_k " + ("0" if k == 0 else "1 to instances" if k <= instances else "above instances"))
    for key in ["max_steps_per_instance", "itl", "candidates"]:
        mark(f"record.{key} " + ("absent" if key not in record else "off" if not record[key] else "on"))
    mark("record absent", "record" not in document)
    interval = config["snapshot_refresh_interval_us"]
    mark("snapshots " + ("fresh" if interval == 0 else "up to 20 ms" if interval <= 20000 else "of hours"))
    mark("admission latency", config["admission_latency_us"] > 0)
    mark("routing latency", config["routing_latency_us"] > 0)
    h = config["horizon_us"] or 0
    mark("horizon " + ("none" if h == 0 else "beyond the end" if not cut(expected, compat) else "cuts"))
    mark("horizon above 30 days", h > 2_592_000_000_000)
    arrivals = [r["arrival_us"] for r in requests]
    mark("arrivals out of order", arrivals != sorted(arrivals))
    mark("equal arrivals", len(set(arrivals)) < len(arrivals))
    ids = [r["id"] for r in requests]
    mark("ids in another order than the list", ids != sorted(ids))
    mark("ids beyond ASCII", any(not i.isascii() for i in ids))
    for key in ["slo", "tenant"]:
        values = [r.get(key, "(absent)") for r in requests]
        mark(f"{key} absent", "(absent)" in values)
        mark(f"{key} null", None in values)
        mark(f"{key} given", any(v and v != "(absent)" for v in values))
    outputs = [r["output"]["n"] for r in requests]
    mark("outputs of 0", 0 in outputs)
    mark("outputs of 1", 1 in outputs)
    mark("prompts of more than 64 pieces", any(len(r["input"]) > 64 for r in requests))
    mark("offsets", any("o" in s for r in requests for s in r["input"] + [r["output"]]))
    mark(f"block size {config['block_size_tokens']}")
    mark("one KV block", config["total_kv_blocks"] == 1)
    mark("3 to 12 KV blocks", 3 <= config["total_kv_blocks"] <= 12)
    cache = config["total_kv_blocks"] * config["block_size_tokens"]
    mark("outputs longer than the cache", any(n > cache for n in outputs))
    mark("batches of 1", config["max_num_running_reqs"] == 1)
    mark("budget of 1", config["max_num_scheduled_tokens"] == 1)
    mark("largest coefficients", 1e9 in config["alpha_coeffs"] + list(config["beta_coeffs"]))
    mark("latency of an hour", 3_600_000_000 in (config["admission_latency_us"], config["routing_latency_us"]))
    mark("CPU tier", config["kv_cpu_blocks"] > 0)
    mark("CPU tier keys absent", "kv_offload_threshold" not in config)
    threshold = config["long_prefill_token_threshold"]
    mark("long prefill threshold", 0 < threshold <= 33)
    kv = [x["kv"] for x in expected["per_instance"]]
    mark("prefix hits", any(x.get("cache_hits", x.get("gpu_cache_hits")) for x in kv))
    mark("offloads", any(x.get("offload_count") for x in kv))
    mark("reloads", any(x.get("cpu_hit_count") for x in kv))
    mark("thrashing", any(x.get("thrashing_count") for x in kv))
    mark("preemptions", expected["preemption_log"])
    steps = [step for x in expected["per_instance"] for step in x.get("step_trace", [])]
    mark("starved of the step's budget", any(new == 0 for step in steps for _, _, new in step["batch"]))
    mark("rejections", expected["rejections"])
    mark("allocation failures", any(x["kv_allocation_failures"] for x in expected["per_instance"]))
    for reason in ["prompt-exceeds-kv-cache", "outgrew-kv-cache"]:
        mark(f"dropped: {reason}", any(d["reason"] == reason for d in expected.get("drops", [])))
    mark("dropped (blis)", compat == "blis" and any(x["dropped_unservable"] for x in expected["per_instance"]))
    for state in ["not_arrived", "in_pipeline", "queued", "running", "completed", "rejected", "dropped"]:
        mark(f"{compat} ends {state}", any(r["state"] == state for r in expected["per_request"]))
    raw = expected["raw_metrics"]
    mark("priority inversions", raw["PriorityInversions"])
    mark("HOL blocking events", raw["HOLBlockingEvents"])
    mark("regret", expected["trace_summary"]["MaxRegret"])
    mark("nothing completed", not expected["summary_json"]["completed_requests"])
    return seen


def lengths(document):
    block = document["config"]["block_size_tokens"]
    return {r["id"]: sum(s["n"] for s in r["input"]) // block for r in document["requests"]}


def cut(expected, compat):
    """Whether something was still to be done at the end."""
    over = {"completed", "rejected", "dropped"}
    return any(r["state"] not in over for r in expected["per_request"]) and (compat == "none" or not expected["rejections"])
