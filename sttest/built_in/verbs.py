"""The verbs of sttest."""

from sttest.core.extensions import Offer


def _verbs(heading: str, *verbs: tuple[str, str, str]) -> tuple[Offer, ...]:
    """Verbs under a heading of help: name, module in ``sttest.cli``, summary."""
    return tuple(
        Offer("verbs", name, f"sttest.cli.{module}:{name}_verb", summary, heading) for name, module, summary in verbs
    )


OFFERS = (
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
        ("board", "board", "Show a board, measure its memories as public benchmarks do, or ask why a kernel is slow."),
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
        ("golden", "golden", "Write inputs, every stream and results of a design, for hardware of your own."),
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
