"""The passes of sttest, by the names of their steps in ``sttest/compile/pipeline.py``."""

from sttest.core.extensions import Offer

OFFERS = tuple(
    Offer("passes", name, f"sttest.compile.pipeline:{name.upper().replace('-', '_')}")
    for name in (
        "add-positions", "online-softmax", "quantize", "expand-functions", "float-min-as-int", "linalg-to-kernels",
        "call-own-kernels", "multiply-in-fabric", "cascade-products", "share-engines", "assign-lanes", "fuse-kernels",
        "buffer-rereads", "materialize-converters", "materialize-dma", "fold-dma", "vectorize", "insert-forks",
        "merge-weight-streams", "place-on-cards", "code-parameters", "assign-channels", "split-products", "name-nodes",
        "lower-to-streams", "share-streams", "index-dmas", "flatten-bottleneck-loops", "size-fifos", "loop-layers",
        "loop-tokens", "schedule-processes",
    )
)  # fmt: skip
