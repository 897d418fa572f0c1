"""What sttest itself offers at its doors, as an extension does; names alone, nothing is imported."""

from sttest.core.extensions import Extension, Offer


def _verbs(heading: str, *verbs: tuple[str, str, str]) -> tuple[Offer, ...]:
    """Verbs under a heading of help: name, module in ``sttest.cli``, summary."""
    return tuple(
        Offer("verbs", name, f"sttest.cli.{module}:{name}_verb", summary, heading) for name, module, summary in verbs
    )


_VERBS = (
    *_verbs(
        "Designs",
        ("compile", "compile", "Compile one decoder block to a design package."),
        ("import", "importers", "Import a design of another tool as a timed graph, or carry sized depths back to it."),
        ("opt", "compile", "Run passes on IR text and print the result."),
        ("dot", "simulate", "Print a design as Graphviz text."),
    ),
    *_verbs(
        "Models and boards",
        ("models", "doctor", "List the models that are known by name."),
        ("board", "doctor", "Show a board: each quantity with unit, kind and source."),
        ("evaluate", "evaluate", "Evaluate a model in a precision on a text."),
        ("quantize", "evaluate", "Quantize a checkpoint's weights for a scheme, calibrated on a text."),
    ),
    *_verbs(
        "Simulate and compare",
        ("check", "check", "Check whatever holds a design for deadlocks."),
        ("simulate", "simulate", "Simulate a design cycle by cycle."),
        ("size", "size", "Size FIFOs: the linear program beside depths found by simulation."),
        ("diff", "diff", "What differs between two designs."),
    ),
    *_verbs(
        "Check",
        ("emulate", "emulate", "Run a design outside of the simulator and compare."),
        ("crosscheck", "crosscheck", "Run one block through every engine, from PyTorch to the card."),
        ("faults", "faults", "Flip single bits of a design's hardware and count which reach its results."),
        ("corpus", "simulate", "Small designs that deadlock, each with its diagnosis."),
    ),
    *_verbs(
        "Build and run",
        ("build", "build", "Build a design with Vitis."),
        ("synth", "synth", "Synthesize the modules of a design with yosys and compare with the prediction."),
        ("calibrate", "calibrate", "Synthesize each distinct process with Vitis HLS."),
        ("pack", "pack", "Pack a design with parameters, inputs and golden."),
        ("run", "run", "Run a design on a card, in hardware emulation, or on the emulator."),
        ("doctor", "doctor", "Tell which tools and cards are here."),
    ),
    *_verbs(
        "Tables, studies and searches",
        ("reproduce", "whatif", "Reproduce a published table."),
        ("whatif", "whatif", "What if: speed, roofline, knee and what would help."),
        ("studies", "studies", "List the studies of published systems, or show one beside its paper."),
        ("serve", "serve", "Serve requests over time on simulated designs."),
        ("report", "report", "One HTML page of a design, or of all results."),
        ("explore", "explore", "Search the design spaces of a block."),
    ),
)

_FORMATS = tuple(
    Offer("formats", name, f"sttest.importers.formats:{name.upper()}")
    for name in ("streamhls", "vitis", "hls", "solution", "finn", "tapa", "lightningsim", "aie", "allo")
)

_PASSES = tuple(
    Offer("passes", name, f"sttest.compile.pipeline:{name.upper().replace('-', '_')}")
    for name in (
        "add-positions", "online-softmax", "quantize", "expand-functions", "float-min-as-int", "linalg-to-kernels",
        "call-own-kernels", "multiply-in-fabric", "cascade-products", "share-engines", "assign-lanes", "fuse-kernels",
        "buffer-rereads", "materialize-converters", "materialize-dma", "fold-dma", "vectorize", "insert-forks",
        "merge-weight-streams", "place-on-cards", "code-parameters", "assign-channels", "split-products", "name-nodes",
        "lower-to-streams", "share-streams", "index-dmas", "flatten-bottleneck-loops", "size-fifos", "loop-layers",
        "loop-tokens",
    )
)  # fmt: skip

_OPS = (Offer("ops", "df", "sttest.compile.dialects.df:DF"),)

_VALUES = tuple(
    Offer("values", kind, f"sttest.reference.{function}")
    for kind, function in (
        ("fork", "engine:copied"), ("concat", "engine:join"), ("gather", "engine:gather_slices"),
        ("converter", "engine:convert"), ("task", "task:run_task"),
    )
)  # fmt: skip

_BOARD_FILES = (
    "a100", "duplex", "kv260", "pim-gpt", "rtx2080ti", "sn40l", "u280", "u55c", "v80", "vhk158", "wse-2",
)  # fmt: skip
_BOARDS = (
    *(Offer("boards", name, f"sttest.boards:data/{name}.yaml") for name in _BOARD_FILES),
    *(Offer("parts", name, f"sttest.boards.board:{name.title()}Board") for name in ("fpga", "gpu")),
    *(Offer("parts", name, f"sttest.boards.systems:{name.title()}Board") for name in ("pim", "mesh", "duplex", "rdu")),
    Offer("memories", "hbm", "sttest.boards.memories:Hbm"),
    *(Offer("memories", name, "sttest.boards.memories:LowerMemory") for name in ("ddr", "host", "flash")),
)

_BACKENDS = tuple(
    Offer("backends", name, f"sttest.crosscheck.rungs:{name.upper()}", summary)
    for name, summary in (
        ("torch", "The golden: values of the fake-quantized block in PyTorch."),
        ("reference", "Values, token by token."),
        ("simpy", "Times: the oracle."),
        ("maxplus", "Times, fast enough for search."),
        ("csim", "Values and deadlocks of the emitted C++."),
        ("rtl", "Times of the RTL twin under Verilator."),
        ("hw_emu", "Hardware emulation of Vitis."),
        ("device", "A card."),
    )
)

_WEIGHT_TYPES = tuple(
    Offer("weight_types", name, f"sttest.reference.weight_types:{attribute}")
    for name, attribute in (
        ("int4", "INT4"), ("int8", "INT8"), ("int3", "INT3"), ("int2", "INT2"), ("ternary", "TERNARY"),
        ("ternary-3:4", "TERNARY_3_OF_4"), ("fp16", "FP16"), ("none", "NONE"),
    )
)  # fmt: skip
_SCHEMES = tuple(
    Offer("schemes", name, f"sttest.models.quant.schemes:{name.upper().replace('-', '_')}")
    for name in (
        "w4a8", "w4a8-channel", "w4a8-static", "w4a8-position", "w4a8-g64", "w4a8-g32", "w8a8", "w4a8kv4",
        "w4a8bfp4", "w4a4kv4", "w3a8", "w2a8", "ternary", "ternary-3of4", "w4a16", "fp16", "fp32",
    )
)  # fmt: skip

_FAMILIES = (
    Offer("families", "dense", "sttest.models.families:DENSE"),
    Offer("families", "experts", "sttest.models.experts_family:EXPERT_FAMILY"),
    Offer("families", "state-space", "sttest.models.state_space_family:STATE_SPACE"),
    Offer("families", "low-rank", "sttest.models.low_rank_family:LOW_RANK"),
)

EXTENSION = Extension(
    "sttest",
    (
        *_VERBS, *_FORMATS, *_PASSES, *_OPS, *_VALUES, *_FAMILIES, *_WEIGHT_TYPES, *_SCHEMES, *_BOARDS, *_BACKENDS,
    ),
)  # fmt: skip
