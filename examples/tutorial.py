import matplotlib.pyplot as plt

import sttest as st

design = st.compile("gpt2", phase="decode", context=64, board="u55c")
run = design.simulate()
print(f"{run.cycles:,} cycles, {run.ms:.3f} ms per layer")
print(run.breakdown.head(3))
table = design.whatif({"hbm.bandwidth": [57.6, 115, 460]})
print(table[["hbm.bandwidth", "cycles", "tokens_per_s", "helped_most_by"]])
plt.plot(table["hbm.bandwidth"], table["tokens_per_s"], "o-")
plt.xlabel("memory bandwidth (GB/s)")
plt.savefig("bandwidth.png")
run.plot_gantt()
plt.savefig("gantt.png")
