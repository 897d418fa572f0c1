"""The experiments of sttest, which stand in a checkout."""

from sttest.core.extensions import Offer

# In the order in which ``sttest reproduce all`` runs them: some read what others wrote.
_EXPERIMENTS = (
    ("fidelity", "timing model against published Vitis co-simulation of 12 Stream-HLS designs"),
    ("gpt2", "GPT-2 Medium on U55C: latency, TTFT and speed (StreamTensor Tables 4 and 5)"),
    ("emerging", "Qwen, Llama and Gemma: tokens per joule against GPUs under three rules (StreamTensor Fig. 9)"),
    ("fig9", "the same ratios by lanes, C_max, launches and LM head, and which designs fit (StreamTensor Fig. 9)"),
    ("onchip", "intermediate results before and after fusion, four models (StreamTensor Fig. 10a)"),
    ("compile-time", "seconds per stage of the compiler (StreamTensor Fig. 10b and c)"),
    ("fifo", "FIFO sizing: this compiler's, the paper's, the least that keeps the pace, and what depths cost"),
    ("hida", "worked example of intensity- and connectedness-aware parallelization, with its ablations"),
    ("best", "the best decode and prefill designs found on a U55C, made again"),
    ("peers", "fraction of the weight-bandwidth roofline: published accelerators and ours"),
    ("serving", "GPT-2 Medium on a U55C: waits against the rate of requests, by batch and by whose turn is next"),
    ("long-prompt", "prompts of up to 32,640 tokens in blocks over a cache in the HBM, and what attention moves"),
    ("memory-tiers", "a U280 with weights in HBM, DDR, host and flash: steps, switches, windows, caches of experts"),
    ("memory", "public measurements of HBM2, DDR4 and host memory of Alveo cards, each beside its simulation"),
    ("experts", "Qwen3-30B-A3B and Mixtral-8x7B: a layer at full size, experts in HBM over DDR, operations per byte"),
    ("cards", "GPT-2 Medium on one, two and four U55C, what links cost, and published accelerators of several cards"),
    ("architectures", "1,134 architectures around Qwen2.5-0.5B: simulated latency, roofline, loss by a published law"),
)

OFFERS = tuple(
    Offer("experiments", name, f"experiments.{name.replace('-', '_')}:reproduce", question)
    for name, question in _EXPERIMENTS
)
