"""`sttest corpus`: the small designs that deadlock, and whether they are still diagnosed as expected."""

from sttest.core.errors import EnginesDisagreeError
from sttest.core.tables import print_table
from sttest.sim import load, simulate
from sttest.testing.corpus import CorpusDesign, case, cases, differences


def run(name: str | None, engine: str) -> int:
    """Lists all designs, or explains one.

    Raises:
        InputError: no design of that name.
        EnginesDisagreeError: the diagnosis is not the expected one.
    """
    if name is None:
        columns = ("design", "members of the cycle", "fix or remedy")
        rows = [(told.name, " -> ".join(wait[0] for wait in told.cycle), _help(told)) for told in cases().values()]
        print_table(columns, rows)
        return 0
    told = case(name)
    print(told.what)
    print(f"  deadlocks: {told.path}")
    print(f"  finishes:  {told.live_path}")
    print(simulate(load(told.path), engine).to_text())
    faults = differences(told, engine)
    if faults:
        raise EnginesDisagreeError("corpus", faults[0], where=name)
    print("  as expected")
    return 0


def _help(told: CorpusDesign) -> str:
    return told.remedy or ", ".join(f"{fifo}={depth}" for fifo, depth in told.fix.items())
