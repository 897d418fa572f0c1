"""The backends of sttest, in the order of a cross-check."""

from sttest.core.extensions import Offer

OFFERS = tuple(
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
