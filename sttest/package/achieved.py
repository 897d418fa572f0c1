"""What a synthesis tool achieved for the processes of a design, to be set beside what the compiler claims."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

SCHEMA = "sttest.achieved/1"
_Count = Annotated[int, Field(ge=0)]
_Cycles = Annotated[int, Field(ge=1)]
_Ns = Annotated[float, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class AchievedLoop(_Part):
    """A loop of a process, in terms of the timed graph's: cycles per iteration and cycles of one iteration."""

    ii: _Cycles
    latency: _Cycles


class ReportedLoop(_Part):
    """A loop of the C++ as the report has it; None where the tool does not know."""

    function: str
    name: str
    trips: int | None
    ii: int | None  # None, too, where it is not pipelined
    depth: int | None  # cycles of one iteration


class AchievedProcess(_Part):
    """A process of the timed graph; it has no loops where the report says nothing that fits them."""

    process: str
    job: str  # job in whose report it stands
    loops: tuple[AchievedLoop, ...] = ()
    remark: str = ""  # why it has none


class AchievedJob(_Part):
    """A run of the tool: what one unit takes, of those that the job stands for."""

    name: str
    processes: tuple[str, ...]
    units: _Cycles  # equal ones in the design
    release: str
    target_ns: _Ns
    estimated_ns: _Ns
    loops: tuple[ReportedLoop, ...]  # innermost ones behind those around them
    dsp: _Count
    lut: _Count
    ff: _Count
    bram18: _Count
    uram: _Count


class Achieved(_Part):
    """The content of the file."""

    schema_: Literal["sttest.achieved/1"] = Field(SCHEMA, alias="schema")
    kernel_sha256: str  # digest of the C++ that was synthesized
    jobs: tuple[AchievedJob, ...]
    processes: tuple[AchievedProcess, ...]
