"""Rewrites one function: who plays which role, and who reads what.

A weight is a parameter of rank 2 that contractions multiply; keys and values
are the results and the arguments of the KV cache; everything else that a
contraction multiplies is an activation.  Weights and cache change their type
and bring their scales along as further arguments and results.  An activation is
quantized where it is written, once for all contractions that read it.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerType, StringAttr, TensorType, f16, f32
from xdsl.dialects.linalg.ops import FillOp, GenericOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from sttest.compile.ir.indexed import IndexedParameters
from sttest.compile.ir.module_walk import returned
from sttest.compile.ir.names import argument_kinds, given_argument_names, given_result_names, result_kinds, source_of
from sttest.compile.linalg.contraction import is_contraction
from sttest.compile.linalg.iteration import IterationSpace, is_view, shape_of
from sttest.compile.linalg.support import place_of
from sttest.compile.linalg.tensor_build import element_of
from sttest.compile.quantization.contractions import (
    Factor,
    Fold,
    Meeting,
    contract,
    contract_folded,
    contract_weight,
    meeting_of,
    quantize_folded,
    sum_softmax,
)
from sttest.compile.quantization.grouping import (
    QuantizedValue,
    ScaleSharing,
    after,
    behind_merges,
    chain_of,
    in_order,
    loop_of,
    nearest_to_root,
    reduction_loops,
    summed_dims,
    sums_its_input,
    through_view,
    views_of,
    whole,
    writer_of,
)
from sttest.compile.quantization.quantizers import (
    Integers,
    dequantize,
    halve,
    quantize_dynamic,
    quantize_softmax,
    quantize_static,
)
from sttest.compile.quantization.softmax_weights import is_softmax_weight
from sttest.core.errors import InputError
from sttest.models.quant.scheme import QuantScheme

# --- A function's arguments and results while some change their type and others join them


class Signature:
    """Names and kinds move with the arguments; :meth:`write` makes the function's type and attributes true again."""

    def __init__(self, function: func.FuncOp) -> None:
        self._function = function
        self._block = function.body.block
        self._names = list(given_argument_names(function).values())
        self._kinds = list(argument_kinds(function).values())
        self._results = given_result_names(function)
        self._result_kinds = result_kinds(function)

    def kind(self, argument: SSAValue) -> str:
        """``parameter``, ``input`` or ``cache``; empty where the text does not say."""
        place = self._place(argument)
        return self._kinds[place] if self._kinds and place is not None else ""

    def name(self, argument: SSAValue) -> str:
        """The argument's name; empty where the text does not say."""
        place = self._place(argument)
        return self._names[place] if self._names and place is not None else ""

    def find(self, name: str) -> SSAValue | None:
        """The argument of that name."""
        return next((argument for argument in self._block.args if name and self.name(argument) == name), None)

    def of_kind(self, kind: str) -> list[SSAValue]:
        """The arguments of one kind, in order."""
        return [argument for argument in self._block.args if self.kind(argument) == kind]

    def cached(self) -> list[int]:
        """Numbers of the results that are new entries of the KV cache."""
        return [number for number, kind in enumerate(self._result_kinds) if kind == "cache"]

    def result(self, number: int) -> SSAValue:
        """What the function returns there."""
        return returned(self._function).operands[number]

    def retype(self, argument: SSAValue, dtype: Attribute) -> SSAValue:
        """The argument with another element type."""
        return Rewriter.replace_value_with_new_type(argument, TensorType(dtype, shape_of(argument)))

    def add_argument(self, behind: SSAValue | None, name: str, kind: str, dtype: TensorType) -> SSAValue:
        """A new argument right behind another one, or behind the last of its kind, or first."""
        if behind is None:
            behind = next(iter(reversed(self.of_kind(kind))), None)
        place = self._place(behind)
        number = 0 if place is None else place + 1
        if self._names:
            self._names.insert(number, name)
        if self._kinds:
            self._kinds.insert(number, kind)
        return self._block.insert_arg(dtype, number)

    def replace_result(self, number: int, value: SSAValue) -> None:
        """Returns another value there."""
        returned(self._function).operands[number] = value

    def add_result(self, number: int, name: str, value: SSAValue) -> None:
        """A new result before number ``number``."""
        end = returned(self._function)
        values: Sequence[SSAValue] = [*end.operands[:number], value, *end.operands[number:]]
        self._results.insert(number, name)
        self._result_kinds.insert(number, "result")
        Rewriter.replace_op(end, func.ReturnOp(*values))

    def result_name(self, number: int) -> str:
        """The result's name."""
        return self._results[number]

    def write(self) -> None:
        """Type and attributes of the function as they are now."""
        function = self._function
        types = [argument.type for argument in self._block.args]
        function.function_type = FunctionType.from_lists(types, [value.type for value in returned(function).operands])
        named = (("arg_names", self._names), ("arg_kinds", self._kinds), ("result_names", self._results))
        for key, values in named:
            if values:
                function.attributes[f"sttest.{key}"] = _strings(values)
        if "sttest.result_kinds" in function.attributes:
            function.attributes["sttest.result_kinds"] = _strings(self._result_kinds)

    def _place(self, argument: SSAValue | None) -> int | None:
        return next((number for number, each in enumerate(self._block.args) if each is argument), None)


def _strings(values: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(value) for value in values])


HEAD_WEIGHT = "head.proj.weight"
"""The parameter whose type the scheme's ``lm_head`` decides."""
ROUTER_WEIGHT = "mlp.router.proj.weight"
"""The parameter by which experts are scored."""
_AS_IT_IS = 32
"""Bits of what no scheme rounds."""
_DISSOLVING = (tensor.ExpandShapeOp, tensor.CollapseShapeOp, tensor.EmptyOp, FillOp, arith.ConstantOp)


class QuantisedFunction:
    """A function and what of it has been quantized so far."""

    def __init__(self, function: func.FuncOp, scheme: QuantScheme) -> None:
        self._scheme = scheme
        self._signature = Signature(function)
        self._indexed = IndexedParameters.of(function)
        self._block = function.body.block
        # Ops of the text that compute in floating point; what a rewrite adds is not among them.
        self._float_ops = [op for op in self._block.ops if isinstance(op, GenericOp) and not is_view(op)]
        self._concats = [op for op in self._block.ops if isinstance(op, tensor.ConcatOp)]
        self._caches: list[ScaleSharing] = []
        self._softmax: list[SSAValue] = []
        self._placed: dict[ScaleSharing, QuantizedValue] = {}
        self._shown: dict[tuple[ScaleSharing, SSAValue], QuantizedValue] = {}

    def rewrite(self) -> None:
        """Rewrites the function in place.

        Raises:
            InputError: an op that the scheme cannot quantize.
        """
        if self._scheme.kv_bits < _AS_IT_IS:
            self._read_small_caches()
        for op in list(self._float_ops):
            if op in self._float_ops and is_contraction(op, IterationSpace(op)):
                self._replace_contraction(op)
        for weights in self._softmax:
            self._sum_integers(weights)
        self._refuse_float_readers_of_weights()
        if self._scheme.kv_bits < _AS_IT_IS:
            for place in [*self._caches, *self._entries()]:
                self._dequantize_for_readers(place)
            self._return_integers()
        _erase_unread(self._block.ops)
        self._signature.write()

    # Contractions.

    def _replace_contraction(self, op: GenericOp) -> None:
        weights = [self._is_weight(chain_of(value)[-1]) for value in op.inputs[:2]]
        if not self._scheme.has_integer_attention and not any(weights):
            return
        if any(weights):
            number = weights.index(True)
            weight, group = self._weight_of(op, number)
            other = self._input(op, 1 - number)
            with ImplicitBuilder(Builder(InsertPoint.before(op))):
                result = contract_weight(op, other, weight, group)
        elif (fold := self._fold_of(op)) is not None and self._scheme.value_scales == "folded":
            self._replace_folded(fold)
            return
        else:
            if fold is not None:
                self._refuse_second_sum(fold)
            left, right = self._factor(op, 0), self._factor(op, 1)
            with ImplicitBuilder(Builder(InsertPoint.before(op))):
                result = contract(op, left, right)
        self._replace(op, result)

    def _fold_of(self, op: GenericOp) -> Fold | None:
        """A product of softmax weights with values whose scales vary along the sum; None of any other one."""
        for number, value in enumerate(op.inputs[:2]):
            values = self._factor(op, 1 - number) if self._is_softmax(value) else None
            if values is not None and values.varies_along_sum(op):
                return Fold(op, number, values)
        return None

    def _replace_folded(self, fold: Fold) -> None:
        meeting, other = self._meeting_of(fold)
        folds = [fold] if other is None else [fold, other]
        for each in folds:
            self._note_softmax(each.weights)
        with ImplicitBuilder(Builder(InsertPoint.before(folds[-1].op))):
            weights = quantize_folded(folds)
            products = [(each.op, *each.factors(found)) for each, found in zip(folds, weights, strict=True)]
            result = contract_folded(products, weights[0])
        self._replace_summed(meeting, fold.op, result)

    def _meeting_of(self, fold: Fold) -> tuple[Meeting, Fold] | tuple[None, None]:
        """The addition of the result to that of another such product, and that product."""
        meeting = meeting_of(fold.op)
        if meeting is None or meeting.second is fold.op:
            return None, None
        if not is_contraction(meeting.second, IterationSpace(meeting.second)):
            return None, None
        other = self._fold_of(meeting.second)
        return (None, None) if other is None else (meeting, other)

    def _refuse_second_sum(self, fold: Fold) -> None:
        """A sum in floating point has an order: in two parts it is not the one that a token per step has."""
        _, other = self._meeting_of(fold)
        if other is not None:
            raise InputError(
                "values-in-two-tensors",
                "several tokens of a step cannot have a scale per position in their mix",
                where=place_of(other.op),
                hints=["take one token per step", "take a scheme with value_scales folded"],
            )

    def _replace_summed(self, meeting: Meeting | None, op: GenericOp, result: SSAValue) -> None:
        """Puts ``result`` for that of ``op``, or for the sum of two where they meet."""
        if meeting is None:
            self._replace(op, result)
            return
        self._float_ops[self._float_ops.index(meeting.reader)] = meeting.join(result)
        for each in (meeting.first, meeting.second):
            self._float_ops.remove(each)
            Rewriter.erase_op(each)

    def _replace(self, op: GenericOp, result: SSAValue) -> None:
        op.results[0].replace_all_uses_with(result)
        self._float_ops.remove(op)
        Rewriter.erase_op(op)

    # Weights.

    def _is_weight(self, value: SSAValue) -> bool:
        return self._signature.kind(value) == "parameter" and len(shape_of(value)) == 2

    def _weight_of(self, op: GenericOp, number: int) -> tuple[Factor, int]:
        """The weight among the factors, and how many of its rows share a scale."""
        value, access = op.inputs[number], op.indexing_maps.data[number].data
        loops = [loop_of(expr) for expr in access.results]
        rows = [dim for dim, loop in enumerate(loops) if loop in reduction_loops(op)]
        if not isinstance(value, BlockArgument) or None in loops or len(rows) != 1:
            raise InputError(
                "weight-through-view",
                "a weight is read through a view, or not summed along one of two dims",
                where=place_of(op),
                hints=["store the weight as [inputs, outputs]"],
            )
        # Groups of rows do not go from one part of an indexed weight to the next.
        indexed = self._indexed is not None and self._indexed.dim_of(self._signature.name(value)) == rows[0]
        parts = self._indexed.count if self._indexed is not None and indexed else 1
        group = self._scheme.rows_per_scale(shape_of(value)[rows[0]] // parts)
        return Factor(self._weight(value, rows[0], group), access), group

    def _weight(self, value: SSAValue, rows: int, group: int) -> QuantizedValue:
        place = ScaleSharing(value, frozenset({rows}))
        if place in self._placed:
            return self._placed[place]
        name, shape = self._signature.name(value), shape_of(value)
        if element_of(value) != f32:
            raise InputError(
                "weight-in-two-ways",
                "a weight is summed along either of its dims",
                where=name,
                hints=["pass its transpose as another parameter"],
            )
        scheme = self._own_scheme(name)
        if not scheme.has_integer_weights:
            if scheme.weights == "fp16":
                value = self._signature.retype(value, f16)
            seen = QuantizedValue(value, None)
            self._placed[ScaleSharing(value, frozenset({rows}))] = seen
            return seen
        weight = self._signature.retype(value, IntegerType(scheme.weight_type.bits))
        kind = TensorType(f16, [shape[rows] // group, shape[1 - rows]])
        scale = self._signature.add_argument(weight, f"{name}_scale", "parameter", kind)
        seen = QuantizedValue(weight, scale, (rows, 1 - rows))
        self._placed[ScaleSharing(weight, frozenset({rows}))] = seen
        return seen

    def _own_scheme(self, name: str) -> QuantScheme:
        if name == HEAD_WEIGHT:
            return self._scheme.of_head
        return self._scheme.of_router if name == ROUTER_WEIGHT else self._scheme.of_layer(name.removesuffix(".weight"))

    def _refuse_float_readers_of_weights(self) -> None:
        for place in self._placed:
            if self._is_weight(place.value) and element_of(place.value) != f32:
                for reader in self._float_readers(place.value):
                    raise InputError(
                        "weight-read-elsewhere",
                        "a weight of a contraction is also read in floating point",
                        where=place_of(reader),
                        hints=["pass it as another parameter too"],
                    )

    # Activations.

    def _input(self, op: GenericOp, number: int) -> Factor:
        """The factor that a weight is multiplied with, integers behind all merges of dims: groups of rows cut these."""
        value, access = op.inputs[number], op.indexing_maps.data[number].data
        if self._scheme.activations != "none":
            return self._factor(op, number, self._scheme.input_bits, behind_merges(value))
        if self._scheme.input_bits == _AS_IT_IS:
            return Factor(QuantizedValue(value, None), access)
        place = whole(chain_of(value)[-1])
        if place not in self._placed:
            with ImplicitBuilder(after(place.value)):
                self._placed[place] = halve(place.value, writer_of(place.value) or source_of(op))
        return Factor(self._as_shown(place, value), access)

    def _factor(self, op: GenericOp, number: int, bits: int = 8, start: SSAValue | None = None) -> Factor:
        value, access = op.inputs[number], op.indexing_maps.data[number].data
        return Factor(self._as_shown(self._place_of(op, value, access, bits, start), value), access)

    def _place_of(
        self, op: GenericOp, value: SSAValue, access: AffineMap, bits: int, start: SSAValue | None
    ) -> ScaleSharing:
        """The place where a factor is quantized, which is done now if it wasn't yet.

        Where all elements share a scale that is ``start``, if it is given, and else the root.
        """
        chain = chain_of(value)
        root = chain[-1]
        start = start or root
        entry = self._entry_of(op, chain)
        if entry is not None:
            place, quantizer = entry, partial(quantize_dynamic, entry, self._entries_as)
        elif self._is_softmax(root):
            place, quantizer = whole(start), partial(quantize_softmax, start)
            self._note_softmax(root)
        elif self._scheme.activations == "static":
            place, quantizer = whole(start), partial(self._quantize_static, start, source_of(op), Integers(bits))
        else:
            place = nearest_to_root(value, summed_dims(op, access))
            quantizer = partial(quantize_dynamic, place, Integers(bits))
        if place not in self._placed:
            with ImplicitBuilder(after(place.value)):
                self._placed[place] = quantizer(writer_of(root) or source_of(op))
        return place

    def _quantize_static(self, value: SSAValue, module: str, to: Integers, source: str) -> QuantizedValue:
        behind = self._signature.find(f"{module}.weight_scale")
        scale = self._signature.add_argument(behind, f"{module}.input_scale", "parameter", TensorType(f32, [1]))
        return quantize_static(value, scale, to, source)

    def _as_shown(self, place: ScaleSharing, value: SSAValue) -> QuantizedValue:
        """The quantized tensor as ``value``, a view of its place, shows it."""
        if value is place.value:
            return self._placed[place]
        if (place, value) not in self._shown:
            view = value.owner
            assert isinstance(view, Operation)
            self._shown[place, value] = through_view(view, self._as_shown(place, chain_of(value)[1]))
        return self._shown[place, value]

    def _is_softmax(self, root: SSAValue) -> bool:
        """Whether a tensor is quantized as softmax weights are."""
        return self._scheme.has_integer_attention and is_softmax_weight(root)

    def _note_softmax(self, root: SSAValue) -> None:
        self._softmax += [] if any(root is known for known in self._softmax) else [root]

    def _sum_integers(self, weights: SSAValue) -> None:
        """Sums of softmax weights (the denominators) add up integers."""
        for value in views_of(weights):
            for op in [use.operation for use in value.uses]:
                if isinstance(op, GenericOp) and self._sums_softmax(op):
                    meeting = meeting_of(op)
                    meets = meeting is not None and self._sums_softmax(meeting.first, meeting.second)
                    ops = [meeting.first, meeting.second] if meeting is not None and meets else [op]
                    with ImplicitBuilder(Builder(InsertPoint.before(ops[-1]))):
                        total = sum_softmax(ops)
                    self._replace_summed(meeting if meets else None, op, total)

    def _sums_softmax(self, *ops: GenericOp) -> bool:
        """Whether ops of the text add up softmax weights that a contraction reads."""
        return all(
            op in self._float_ops and sums_its_input(op) and any(chain_of(op.inputs[0])[-1] is w for w in self._softmax)
            for op in ops
        )

    # Keys and values.

    @property
    def _entries_as(self) -> Integers:
        """What keys and values are in a cache of integers."""
        return Integers(self._scheme.kv_bits, f16, self._scheme.kv_scales == "power-of-two")

    def _read_small_caches(self) -> None:
        for argument in self._signature.of_kind("cache"):
            if element_of(argument) == f32:
                name, shape = self._signature.name(argument), shape_of(argument)
                if not self._scheme.has_integer_cache:
                    cache = self._signature.retype(argument, f16)
                    place = whole(cache)
                    self._caches.append(place)
                    self._placed[place] = QuantizedValue(cache, None)
                    continue
                cache = self._signature.retype(argument, IntegerType(self._scheme.kv_bits))
                scale = self._signature.add_argument(cache, f"{name}_scale", "cache", TensorType(f16, shape[:-1]))
                place = ScaleSharing(cache, _last_dim(cache))
                self._caches.append(place)
                self._placed[place] = QuantizedValue(cache, scale, place.kept)

    def _entries(self) -> list[ScaleSharing]:
        """The places where new keys and values are quantized: per head and position, nearest to what computes them."""
        if self._scheme.kv_bits == _AS_IT_IS:
            return []
        entries = [self._signature.result(number) for number in self._signature.cached()]
        return [nearest_to_root(entry, _last_dim(entry)) for entry in entries if element_of(entry) == f32]

    def _entry_of(self, op: GenericOp, chain: list[SSAValue]) -> ScaleSharing | None:
        """The keys or values that a factor shows; None if it shows none."""
        known = [*self._caches, *self._entries()]
        for place in known:
            if any(place.value is value for value in chain):
                return place
        if any(chain_of(place.value)[-1] is chain[-1] for place in known):
            raise _not_by_head(op)
        return None

    def _dequantize_for_readers(self, place: ScaleSharing) -> None:
        """Whoever does not contract keys or values reads them as the cache will have them."""
        for value in chain_of(place.value)[1:]:
            for reader in self._float_readers(value):
                raise _not_by_head(reader)
        for value in views_of(place.value):
            readers = self._float_readers(value)
            if not readers:
                continue
            seen = self._as_shown(self._quantized_entry(place), value)
            with ImplicitBuilder(after(seen.values)):
                plain = dequantize(seen, writer_of(chain_of(value)[-1]))
            for use in [use for use in value.uses if use.operation in readers]:
                use.operation.operands[use.index] = plain

    def _return_integers(self) -> None:
        """New entries leave as integers, each followed by its scales."""
        for number in reversed(self._signature.cached()):
            entry = self._signature.result(number)
            if element_of(entry) != f32:
                continue
            seen = self._as_shown(self._quantized_entry(nearest_to_root(entry, _last_dim(entry))), entry)
            if seen.scale is None:
                self._signature.replace_result(number, seen.values)
                continue
            assert self._block.last_op is not None
            with ImplicitBuilder(Builder(InsertPoint.before(self._block.last_op))):
                scale = in_order(seen.scale, seen.dims)
            self._signature.replace_result(number, seen.values)
            self._signature.add_result(number + 1, f"{self._signature.result_name(number)}_scale", scale)

    def _quantized_entry(self, place: ScaleSharing) -> ScaleSharing:
        if place not in self._placed:
            writer = writer_of(chain_of(place.value)[-1])
            with ImplicitBuilder(after(place.value)):
                self._placed[place] = (
                    quantize_dynamic(place, self._entries_as, writer)
                    if self._scheme.has_integer_cache
                    else halve(place.value, writer)
                )
        return place

    def _float_readers(self, value: SSAValue) -> list[Operation]:
        """The ops of the text that read a tensor itself, in floating point."""
        readers = (*self._float_ops, *self._concats)
        return [op for op in readers if any(operand is value for operand in op.inputs)]


def _last_dim(value: SSAValue) -> frozenset[int]:
    return frozenset({len(shape_of(value)) - 1})


def _not_by_head(op: Operation) -> InputError:
    return InputError(
        "entry-not-by-head",
        "keys or values are read otherwise than by head and position",
        where=place_of(op),
        hints=["read the tensor that is split in heads", "take a scheme with kv_bits 32"],
    )


def _erase_unread(ops: Iterable[Operation]) -> None:
    """Fills, views and constants that only replaced ops read; whatever computes stays as the text has it."""
    for op in reversed(list(ops)):
        dissolves = isinstance(op, _DISSOLVING) or (isinstance(op, GenericOp) and is_view(op))
        if dissolves and not any(result.uses.get_length() for result in op.results):
            Rewriter.erase_op(op)
