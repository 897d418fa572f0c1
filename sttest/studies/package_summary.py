"""What a package holds, in the figures that matter first: as JSON, and in words."""

from dataclasses import asdict
from typing import Any

from sttest.boards.switch import Reach, crossing
from sttest.compile.compiler import CompiledDesign
from sttest.compile.lane_adaptation import LaneAdaptation
from sttest.compile.reports import narrow_loops
from sttest.compile.resources.fit import NAMES
from sttest.models.quant.losses import MOST_LOSS, loss_of, measured_losses
from sttest.package import DesignPackage
from sttest.sim.bursts import HBM, memory_and_number
from sttest.sim.graph import MemoryPort


def summarize(design: CompiledDesign, package: DesignPackage) -> dict[str, Any]:
    """What a package holds, in the figures that matter first (``sttest.compile/1``)."""
    manifest = package.manifest.to_json()
    return {
        "schema": "sttest.compile/1",
        "package": str(package.folder),
        "name": manifest["name"],
        "clock_mhz": design.graph.clock_mhz,
        "workload": manifest["configuration"]["workload"],
        "generated_tokens": manifest["configuration"]["options"]["generate"],
        "precision": _precision(package),
        "groups": manifest["groups"],
        "kernels": len(design.fusion.fusion.group_of),
        "fifos": len(design.graph.fifos),
        "fifo_bits": sum(fifo.depth * fifo.bits for fifo in design.graph.fifos),
        "intermediates": manifest["intermediates"],
        "sizing": manifest["sizing"],
        "resources": manifest["resources"],
        "design": manifest["design"],
        "fit": manifest["fit"],
        "crossing": _crossing(design),
        "partition": manifest.get("partition"),
        "contractions": manifest.get("contractions"),
        "lanes": asdict(design.adaptation),
        "narrow_loops": {str(length): tasks for length, tasks in narrow_loops(design).items()},
        "compile_s": round(sum(stage.seconds for stage in design.stages), 3),
        "passes": [{"pass": stage.spec, "seconds": round(stage.seconds, 4)} for stage in design.stages],
    }


def summary_text(summary: dict[str, Any]) -> str:
    """A summary in the lines that the command prints."""
    parts = summary["intermediates"]
    ratio = parts["fused_over_original"]
    shown = "no intermediate results before fusion" if ratio is None else f"ratio {ratio:.3f}"
    lines = [
        _headline(summary),
        f"design         {_design(summary)}",
        f"precision      {loss_of(**summary['precision'])}",
        f"package        {summary['package']}",
        f"kernels        {summary['kernels']} in {summary['groups']} group{'s' if summary['groups'] != 1 else ''}",
        f"FIFOs          {summary['fifos']}, {summary['fifo_bits']:,} bits",
        f"intermediates  {parts['original_bytes']:,} bytes before fusion, {parts['fused_bytes']:,} on chip after "
        f"({shown})",
        f"cycles         {_cycles(summary['sizing'])}",
        *_speed(summary),
        f"resources      {_resources(summary['resources'])}",
        *([f"crossing       {summary['crossing']}"] if summary["crossing"] else []),
        *_memories(summary["resources"], parts),
        *_partition(summary["partition"]),
        *_contractions(summary["contractions"]),
        *(f"lanes          {line}" for line in LaneAdaptation(**summary["lanes"]).lines),
        *_narrow(summary["narrow_loops"]),
        f"next           sttest simulate {summary['package']}",
    ]
    return "\n".join([*lines[:4], *_padding(summary["workload"]), *lines[4:]])


def _headline(summary: dict[str, Any]) -> str:
    """Which design it is, how long it takes, and whether it fits; one that does not says so first."""
    cycles, fit = summary["sizing"]["cycles"], summary["fit"]
    time = "deadlock" if cycles is None else f"{cycles:,} cycles = {cycles / summary['clock_mhz']:,.2f} µs"
    if fit["fits"]:
        return f"{summary['name']}: {time}, fits the {fit['budget']} budget{_great_loss(summary)}"
    return f"does not fit: {summary['name']}: {time}, {short_of(fit)}{_great_loss(summary)}"


def _great_loss(summary: dict[str, Any]) -> str:
    scheme, loss = summary["precision"]["scheme"], summary["precision"]["loss"]
    return f"; {scheme} loses {loss:,.0%} perplexity" if loss is not None and loss > MOST_LOSS else ""


def _crossing(design: CompiledDesign) -> str:
    """What crossing the HBM's switch costs at the least, where large DMAs share all channels."""
    if design.options.channels != "together":
        return ""
    ports = [each for each in design.graph.processes if isinstance(each, MemoryPort)]
    places = [(port, *map(memory_and_number, (port.channels[0], each))) for port in ports for each in port.channels]
    reaches = (
        Reach(home, number, port.tokens * port.token_bytes // len(port.channels), writes=port.op == "write")
        for port, (_, home), (memory, number) in places
        if memory == HBM
    )
    found = crossing(reaches, design.board)
    return "" if found is None else found.text()


def _precision(package: DesignPackage) -> dict[str, Any]:
    """The scheme, and its loss where it was measured: not that of a file, which may bear any name."""
    entry = package.manifest.configuration
    name = entry.quant_scheme.name
    return {"scheme": name, "loss": measured_losses().get(name) if entry.scheme is None else None}


def short_of(fit: dict[str, Any]) -> str:
    """What a design has too little of, as in "LUT 145 % of the tight budget"."""
    over = [f"{NAMES[kind]} {_percent(share)}" for kind, share in fit["shares"].items() if share is None or share > 1]
    if over:
        return f"{', '.join(over)} of the {fit['budget']} budget"
    share = "" if fit["short_share"] is None else f" {_percent(fit['short_share'])}"
    return f"{fit['short']}{share} of the {fit['budget']} budget"


def _percent(share: float | None) -> str:
    return "without bound" if share is None else f"{100 * share:.0f} %"


def _design(summary: dict[str, Any]) -> str:
    """Where the design comes from, and as what its resources are counted."""
    facts, flow = summary["design"], summary["fit"]["flow"]
    counted = f", {facts['tried']} tried" if facts["tried"] > 1 else ""
    said = {
        "found": f"best, as found for {facts['name']}",
        "recipe": f"best by rule, {facts['name']}{counted}",
        "default": "default options",
        "options": "lanes as asked for",
        "file": facts["name"],
    }[facts["origin"]]
    return f"{said}; as {'SystemVerilog' if flow == 'rtl' else 'C++'}"


def _cycles(sizing: dict[str, Any]) -> str:
    if sizing["cycles"] is None:
        return "none, the design deadlocks"
    return f"{sizing['cycles']:,} simulated, {sizing['unbounded_cycles']:,} with FIFOs that are never full"


def _speed(summary: dict[str, Any]) -> list[str]:
    """Tokens per second for a user, of a launch that makes several: it has all layers and the head."""
    tokens, cycles = summary["generated_tokens"], summary["sizing"]["cycles"]
    if tokens <= 1 or cycles is None:
        return []
    seconds = cycles / summary["clock_mhz"] * 1e-6
    speed = f"{tokens / seconds:,.0f} tokens/s for one user"
    return [f"speed          {speed}, {tokens} in a launch; without its start by the host"]


def _resources(facts: dict[str, Any]) -> str:
    shares = (f"{kind} {100 * share:.0f} %" for kind, share in facts["share_of_budget"].items())
    over = facts["over_budget"]
    verdict = f"; {', '.join(over)} beyond the board's budget" if over else ""
    budget = f"of the {facts['budget']} budget" + (" of the fullest card" if facts.get("cards") else "")
    return f"{', '.join(shares)} {budget}, {facts['memory_ports']} DMAs on {facts['hbm_ports']} HBM ports{verdict}"


def _memories(facts: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    """Why a group that fusion let through takes more memory than there is."""
    if not {"bram18", "uram"} & set(facts["over_budget"]):
        return []
    counted = parts["converter_bytes"] + parts["dma_tile_bytes"]
    return [
        f"memories       {facts['held_bytes']:,} bytes in cells of {facts['cell_bytes']:,}; fusion held {counted:,} of "
        f"converters and tiles to --c-max-bytes, not FIFOs ({parts['fifo_bytes']:,}) nor what cells leave empty"
    ]


def _partition(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    shares = ", ".join(f"{100 * share:.0f} %" for share in facts["fullest_share_per_slr"])
    wires = ", ".join(f"{count:,}" for count in facts["wires_per_boundary"]) or "no"  # of a die of one SLR
    cycles = facts["cycles_with_crossing_registers"]
    shown = "a deadlock" if cycles is None else f"{cycles:,} cycles"
    relays = facts["relays"]
    taken = f"{relays['lut']:,} LUTs and {relays['ff']:,} FFs"
    return [
        f"SLRs           fullest resource {shares}; {wires} wires across; {shown} with registers on crossings",
        f"relays         {relays['processes']} on crossings, {taken} beside the resources above",
        *_clocks(facts["clock"]),
    ]


def _clocks(facts: dict[str, Any]) -> list[str]:
    """A launch at the clocks that the design may reach, the one that it was compiled for beside them."""
    times = (f"{each['case']} {each['clock_mhz']:g} MHz {_us(each['us'])}" for each in facts["times"])
    return [f"clock          {'; '.join(times)}", *(f"beyond         {remark}" for remark in facts["remarks"])]


def _us(time: float | None) -> str:
    return "a deadlock" if time is None else f"{time:,.1f} us"


def _contractions(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    lines = [f"contractions   {facts['integers']} in integers, {len(facts['floating'])} in floating point"]
    return lines + [f"in float32     {each['name']}: {each['reason']}" for each in facts["floating"] + facts["stored"]]


def _narrow(loops: dict[str, list[str]]) -> list[str]:
    return [
        f"slow           {', '.join(tasks[:3])}{', …' if len(tasks) > 3 else ''}: no tile divides {int(length):,}; "
        f"pad it to {-(-int(length) // 16) * 16:,}"
        for length, tasks in loops.items()
    ]


def _padding(workload: dict[str, Any]) -> list[str]:
    padded = [
        f"{workload[f'asked_{what}']} {what} padded to {workload[what]}"
        for what in ("tokens", "context")
        if f"asked_{what}" in workload and workload[f"asked_{what}"] != workload[what]
    ]
    return [f"shape          {', '.join(padded)}"] if padded else []
