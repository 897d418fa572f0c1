"""A dialect with one node: it clips the values of a stream."""

from collections.abc import Callable

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from sttest.boards.resources import Resources
from sttest.compile.dialects import df
from sttest.compile.dialects.hardware_op import HardwareOp, Ports
from sttest.reference.graph import Custom
from sttest.sim.graph import Event, Loop, Pipeline

STAGES = 3


@irdl_op_definition
class ClipOp(df.NodeOp, HardwareOp):
    """Passes tokens on whose elements are at most ``most``, and at least its negative."""

    name = "sample.clip"
    most = prop_def(IntegerAttr[I64])
    label = opt_prop_def(StringAttr)
    assembly_format = f"$sources `at` $most {df.TAIL}"

    @classmethod
    def of(cls, stream: SSAValue, most: int) -> "ClipOp":
        """What clips a stream."""
        properties = {"most": df.i64_attr(most)}
        return cls(operands=[[stream], []], result_types=[[stream.type]], properties=properties)

    def proposed_name(self, name_of: Callable[[SSAValue], str]) -> str:
        """A name made of that of the node whose tokens it clips."""
        return f"clip_{name_of(self.sources[0])}"

    def pipeline(self, ports: Ports) -> Pipeline:
        """A token in every cycle, which leaves it two cycles later."""
        events = Event(ports.sources[0], "read", 0), Event(ports.sinks[0], "write", STAGES - 1)
        loop = Loop((df.itensor_of(self.sources[0]).tokens,), 1, STAGES, events)
        return Pipeline(ports.name, (loop,), category="compute")

    def reference(self, ports: Ports) -> Custom:
        """What `clip` of ``sttest_sample.values`` computes."""
        return Custom(ports.name, self.name, ports.sources, ports.sinks, (self.most.value.data,))

    def logic(self) -> Resources:
        """Registers for a token in each stage, and a LUT for each bit of two comparisons and a choice."""
        bits = df.itensor_of(self.sources[0]).token_bits
        return Resources(lut=3 * bits, ff=STAGES * bits)

    def verify_(self) -> None:
        """A source and a result of one type."""
        df.check_ports(self.name, sources=(len(self.sources), 1), results=(len(self.produced), 1))
        if df.itensor_of(self.sources[0]) != df.itensor_of(self.produced[0]):
            raise VerifyException("sample.clip: the result must have the type of the source")


SAMPLE = Dialect("sample", [ClipOp])
