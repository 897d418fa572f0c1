"""Whether emitted C++ keeps to the documented rules of Vitis HLS 2024.1, without the tool.

Each rule is a function from a parsed file to the places that break it.
"""

from collections.abc import Callable, Iterator

from sttest.targets.vitis.cpp_source import CppSource, RuleViolation
from sttest.targets.vitis.rules import dataflow, storage

Rule = Callable[[CppSource], Iterator[RuleViolation]]

RULES: tuple[Rule, ...] = (
    dataflow.syntax,
    dataflow.no_dynamic_memory,
    dataflow.no_exceptions,
    dataflow.no_library,
    dataflow.no_recursion,
    dataflow.constant_arrays,
    dataflow.identifiers,
    dataflow.constant_bounds,
    dataflow.loop_directives,
    dataflow.pipeline_interval,
    dataflow.pipelined_leaves,
    storage.placed_after_declaration,
    storage.partitions,
    storage.dependences,
    storage.bound_products,
    storage.stream_storage,
    storage.stream_depths,
    storage.one_lock,
    dataflow.one_top,
    dataflow.canonical_form,
    dataflow.processes_called_once,
    dataflow.one_writer_one_reader,
    dataflow.turns_share_hardware,
    dataflow.interfaces_in_top,
    dataflow.memory_ports,
    dataflow.shared_bundles,
    dataflow.control_port,
    dataflow.memory_has_one_user,
    dataflow.known_directives,
)


def check_kernel(text: str) -> list[RuleViolation]:
    """The places of a `kernel.cpp` that break a rule, in the order of the rules."""
    source = CppSource(text)
    return [violation for rule in RULES for violation in rule(source)]


__all__ = ["RULES", "Rule", "RuleViolation", "check_kernel"]
