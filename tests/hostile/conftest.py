"""Makes `benchmarks`, which lies beside the package and is not installed, importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
