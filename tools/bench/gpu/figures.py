# SPDX-License-Identifier: GPL-2.0-or-later
"""From what was measured to the figures of out/bench.json."""

import statistics

import router

LATENCY_LOAD = "empty_depth1"
STORMS = ("event", "garbage", "unmap")


def per_second(answer):
    return answer["count"] * 1e9 / answer["ns"]


def spread(values):
    """(median, lowest, highest)"""
    return statistics.median(values), min(values), max(values)


def ratio(over, under):
    """Median of the ratios of pairs that were measured in the same round."""
    return statistics.median(a / b for a, b in zip(over, under))


def of_loads(loads):
    """Throughput, ratios and latencies."""
    found = {}
    for key, machines in loads.items():
        rates = {m: [per_second(a) for a in answers] for m, answers in machines.items()}
        for m, values in rates.items():
            found[f"{m}_{key}_per_s"] = statistics.median(values)
            for base in ("host", "passthrough"):
                if m not in ("host", base):
                    found[f"{m}_over_{base}_{key}"] = ratio(values, rates[base])
            size = machines[m][0]["bytes"] / machines[m][0]["count"]
            if size:
                found[f"{m}_{key}_mb_per_s"] = statistics.median(values) * size / 1e6
        cycles = {m: statistics.median(a["cycles"] / a["count"] for a in answers)
                  for m, answers in machines.items()}
        found[f"cycles_{key}"] = cycles["guest"]
        found[f"cycles_guest_over_host_{key}"] = cycles["guest"] / cycles["host"]
    for m, answers in loads[LATENCY_LOAD].items():
        for q in ("p50", "p90", "p99"):
            found[f"latency_{m}_us_{q}"] = statistics.median(a[q] for a in answers) / 1000
    return found


def of_costs(costs):
    """Exits, interrupts and CPU time per 10,000 dispatches; the vGPU's without prefix."""
    found = {}
    for machine, repeats in costs.items():
        prefix = "" if machine == "guest" else f"{machine}_"
        for name in repeats[0]:
            value = statistics.median(r.get(name, 0) for r in repeats)
            if name.endswith("host_cpu_ns"):
                name, value = name.replace("_ns", "_ms"), value / 1e6
            name = name.replace("irq_injections", "injected_interrupts")
            found[f"{prefix}{name}_per_10k"] = value
    return found


# What is behind the names of figures: the GPU of 64 slices, slices with eight vGPUs each.
SUFFIXES = {"route-16": "", "route-64": "_of_64", "route-shared": "_shared"}


def of_router(measured, suffix):
    """Cost of the handler by number of vGPUs."""
    found = {}
    for route, by_count in measured.items():
        for count, samples in by_count.items():
            found[f"route_{route}_ns_{count}{suffix}"] = router.median(samples)
    page, register = measured["page"], measured["register"]
    for count in page:
        if count != "1":
            found[f"route_page_{count}_over_1{suffix}"] = router.ratio(page[count], page["1"])
        found[f"route_register_over_page_{count}{suffix}"] = \
            router.ratio(register[count], page[count])
    return found


def storm_delay(storm):
    """Median latency of the others in the worst storm, to that in calm."""
    return max(storm[kind]["p50"] for kind in STORMS) / storm["calm"]["p50"]


def of_completions(run, storm):
    """Nothing lost, nothing astray, nobody held up."""
    found = {
        "completions": run["completions"] + storm["completions"],
        "completion_interrupts": run["interrupts"] + storm["interrupts"],
        "completions_lost": run["lost"] + storm["lost"],
        "completions_misrouted": run["misrouted"] + storm["misrouted"],
        "completions_per_s": run["completions"] * 1e9 / run["ns"],
        "storm_attacks": storm["attacks"],
        "storm_faults": storm["faults"],
    }
    for q in ("p50", "p99"):
        found[f"latency_interrupt_us_{q}"] = run["latency"][q] / 1000
        for kind in ("calm", *STORMS):
            found[f"latency_storm_{kind}_us_{q}"] = storm[kind][q] / 1000
    found["storm_delay_over_median"] = storm_delay(storm)
    return found


def of_guests(guests):
    """Sums of what guests counted."""
    return {f"guests_{name}": sum(g[name] for g in guests) for name in guests[0]}


def all_of(results):
    """Every figure, by name, from the results of all stages."""
    found = of_loads(results["gpu"]["loads"])
    found.update(of_costs(results["gpu"]["costs"]))
    for stage, suffix in SUFFIXES.items():
        found.update(of_router(results[stage]["router"], suffix))
    found.update(of_completions(results["route-16"]["completions"], results["route-16"]["storm"]))
    found.update(of_guests(results["guests"]))
    return {name: round(value, 4) for name, value in found.items()}
