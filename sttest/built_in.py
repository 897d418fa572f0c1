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

# In the order in which ``sttest reproduce all`` runs them: some read what others wrote.
_EXPERIMENTS = (
    ("fidelity", "timing model against published Vitis co-simulation of 12 Stream-HLS designs"),
    ("gpt2", "GPT-2 Medium on U55C: latency, TTFT and speed (StreamTensor Tables 4 and 5)"),
    ("emerging", "Qwen, Llama and Gemma: tokens per joule against GPUs under three rules (StreamTensor Fig. 9)"),
    ("fig9", "the same ratios by lanes, C_max, launches and LM head, and which designs fit (StreamTensor Fig. 9)"),
    ("onchip", "intermediate results before and after fusion, four models (StreamTensor Fig. 10a)"),
    ("compile-time", "seconds per stage of the compiler (StreamTensor Fig. 10b and c)"),
    ("fifo", "FIFO sizing: normal, conservative and the least that keeps the pace, on one block"),
    ("hida", "worked example of intensity- and connectedness-aware parallelisation, with its ablations"),
    ("best", "the best decode and prefill designs found on a U55C, made again"),
    ("peers", "fraction of the weight-bandwidth roofline: published accelerators and ours"),
    ("serving", "GPT-2 Medium on a U55C: waits against the rate of requests, by batch and by whose turn is next"),
    ("long-prompt", "prompts of up to 32,640 tokens in blocks over a cache in the HBM, and what attention moves"),
    ("memory-tiers", "a U280 with weights in HBM, DDR, host and flash: steps, switches, windows, caches of experts"),
    ("mixed-bits", "types of weights per layer by an integer program over simulated cycles, GPT-2 Medium decode"),
    ("experts", "Qwen3-30B-A3B and Mixtral-8x7B: a layer at full size, experts in HBM over DDR, operations per byte"),
    ("faults", "a small GPT-2 in RTL: which single bit flips reach the token, what protection takes away and costs"),
    ("attention-cascades", "FLAT and FuseMax as cascades of attention alone, 1k to 128k positions, at an equal budget"),
    ("block-sparse", "a decode step over the blocks that its router chose (MoBA): speed by block size and context"),
    ("cards", "GPT-2 Medium on one, two and four U55C, what links cost, and published accelerators of several cards"),
    ("architectures", "1,134 architectures around Qwen2.5-0.5B: simulated latency, roofline, loss by a published law"),
    ("low-rank", "GPT-2 with linear layers in two factors: bytes, cycles and on-chip memory against the rank"),
    ("state-space", "Mamba-2 130M against GPT-2 of the same width: a decode step by context, crossovers, hybrids"),
)

EXTENSION = Extension(
    "sttest",
    (
        *_VERBS,
        *_FORMATS,
        *(
            Offer("experiments", name, f"experiments.{name.replace('-', '_')}:reproduce", question)
            for name, question in _EXPERIMENTS
        ),
    ),
)
