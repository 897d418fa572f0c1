"""`quantize`: makes integers, scales and their arithmetic explicit (docs/how-it-works/quantization.md)."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from sttest.compile.ir.module_walk import functions
from sttest.compile.linalg.support import refuse_unsupported
from sttest.compile.quantization.function import QuantisedFunction
from sttest.models.quant import DEFAULT_SCHEME
from sttest.models.quant.scheme import load_scheme


@dataclass(frozen=True)
class Quantize(ModulePass):
    """Rewrites the contractions of linalg text by a scheme's name or YAML file; ``fp32`` changes nothing."""

    name = "quantize"

    scheme: str = DEFAULT_SCHEME

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrites all functions of the module in place.

        Raises:
            InputError: an unknown scheme, or a text that it cannot be applied to.
        """
        scheme = load_scheme(self.scheme)
        if not scheme.quantizes:
            return
        refuse_unsupported(op)
        for function in functions(op):
            QuantisedFunction(function, scheme).rewrite()
