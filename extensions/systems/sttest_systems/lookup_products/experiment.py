"""Products by table look-up (SAIL's LUT-GEMV) beside products in LUTs: area per product, synthesized.

Four activations of 8 bits that all results share make a table of 16 sums; a result looks up one of them per bit of its
weights.  The more results share a table, the less it counts.  The values of both kinds are the same, so that they are
two ways to make one task; no operator of the compiler's library is of this kind.
"""

from __future__ import annotations

from pathlib import Path

from sttest.compile.rtl import module_text
from sttest.core.errors import SttestError
from sttest.core.results import ResultFolder, Row
from sttest.studies.lines import print_lines
from sttest.studies.steps import step_counter
from sttest.targets.synth.yosys import SynthesisJob, synthesize

__depends__ = ("sttest_systems/lookup_products/lookup_products.sv",)

SOURCE = Path(__file__).with_name("lookup_products.sv")
LANES, SHARED = 16, 8
BITS, RESULTS = (1, 2, 3, 4), (4, 16)
WORK = Path("build/synth")
SAIL = "SAIL: LUT-GEMV in caches, abstract"


def lookup_job(bits: int, results: int) -> SynthesisJob:
    """So many results of 16 products each by look-up."""
    text = SOURCE.read_text(encoding="utf-8")
    parameters = {"LANES": LANES, "SHARED": SHARED, "OTHER": bits, "RESULTS": results}
    return SynthesisJob("lookup_products", (("lookup_products.sv", text),), parameters, 50.0 * bits * results)


def fabric_job(bits: int) -> SynthesisJob:
    """One result of 16 products in LUTs, each with its own."""
    texts = tuple((f"{name}.sv", module_text(name)) for name in ("dot_products", "primitives"))
    parameters = {"LANES": LANES, "SHARED": SHARED, "OTHER": bits, "RESULTS": 1, "CHAIN": 1, "FABRIC": 1, "CYCLES": 8}
    return SynthesisJob("dot_products", texts, parameters, 20.0 * bits * LANES)


def reproduce(out: Path, *, engine: str = "maxplus", jobs: int = 2) -> list[Row]:
    """Prints the table and writes ``out``; ``engine`` simulates nothing here."""
    wanted = {(bits, results): lookup_job(bits, results) for bits in BITS for results in RESULTS}
    fabric = {bits: fabric_job(bits) for bits in BITS if bits > 1}
    say = step_counter(len(wanted) + len(fabric))
    found = synthesize([*wanted.values(), *fabric.values()], WORK, jobs, say)
    rows: list[Row] = []

    def row(metric: str, job: SynthesisJob, results: int) -> float:
        made = found[job.key]
        if isinstance(made, SttestError):
            raise made
        per_product = made.resources.lut / (LANES * results)
        rows.append(
            Row("lookup-products", metric, per_product, "LUT", "synthesized", source="yosys, synth_xilinx -family xcup")
        )
        return per_product

    multiplied = {bits: row(f"LUTs of a product [{bits} bits, multiplied]", job, 1) for bits, job in fabric.items()}
    for (bits, results), job in wanted.items():
        where = f"[{bits} bits, looked up, {results} results]"
        looked_up = row(f"LUTs of a product {where}", job, results)
        if bits in multiplied:
            rows.append(
                Row("lookup-products", f"over multiplication {where}", looked_up / multiplied[bits], "ratio", "derived")
            )
    print_lines(rows, "Products by table look-up")
    with ResultFolder(
        out, made_by=__name__, config={"lanes": LANES, "shared": SHARED, "bits": BITS, "results": RESULTS}
    ) as folder:
        for each in rows:
            folder.add(each)
        folder.add(Row("lookup-products", "hardware overhead", 0.02, "ratio", "published", source=SAIL))
    return rows
