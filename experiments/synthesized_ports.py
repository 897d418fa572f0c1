"""Rows of `boards/data/synthesized_ports.yaml`: the memory ports of designs through yosys.

    python -m experiments.synthesized_ports PACKAGE... [--work-dir build/synth]

The packages are GPT-2's decode block (`sttest compile gpt2 --phase decode --context 64`), and a small design whose
addresses are added up (`sttest compile small-gpt2 --phase prefill --tokens 32 --share weights --layers 2`).
"""

import argparse
from pathlib import Path

import yaml

from experiments.synthesized_rows import amounts, fitted
from sttest.compile.resources.synthesis import PORTS_FILE, port_tokens
from sttest.package import DesignPackage
from sttest.targets.synth.ports import PortJob, port_jobs
from sttest.targets.synth.yosys import synthesize, yosys_version

NAMES = ("read", "write", "counter_bit", "number_bit")


def main() -> None:
    """Synthesizes and writes the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", type=Path, nargs="+")
    parser.add_argument("--work-dir", type=Path, default=Path("build/synth"))
    given = parser.parse_args()
    packages = [DesignPackage.read(folder) for folder in given.packages]
    every = [job for package in packages for job in port_jobs(package).values() if isinstance(job, PortJob)]
    ports = {each.job.key: each for each in every}
    found = synthesize((each.job for each in ports.values()), given.work_dir.resolve(), 2, print)
    rows, columns = [], {"lut": list[float](), "ff": list[float]()}
    for key, each in ports.items():
        port = each.port
        routes = [port.bursts.route, *([] if port.words.parts is None else [port.words.parts])]
        counters, numbers = (sum(getattr(route, name) for route in routes) for name in ("counter_bits", "number_bits"))
        rows.append([int(port.reads), int(not port.reads), counters, numbers])
        tokens = port_tokens(port.words, reads=port.reads)
        for kind, left in columns.items():
            left.append(amounts(found[key])[kind] - getattr(tokens, kind))
    figures = {kind: fitted(rows, left) for kind, left in columns.items()}
    text = yaml.safe_dump(
        {
            "source": f"yosys {yosys_version()}, synth_xilinx -family xcup with abc; the {len(ports)} distinct ports "
            f"of {' and '.join(package.name for package in packages)}; {Path(__file__).name}",
            "kind": "synthesized",
            **{name: {kind: figures[kind][n] for kind in columns} for n, name in enumerate(NAMES)},
        },
        sort_keys=False,
        default_flow_style=None,
        width=118,
    )
    PORTS_FILE.write_text("# What synthesis makes of memory ports: AXI4 masters of 512 bits.\n" + text)


if __name__ == "__main__":
    main()
