"""A design's bitcode as an object file with calls of the runtime, and what stays the same in every run.

A module of its own process: ``python -m sttest.importers.cpp.lower REQUEST OUT BITCODE...``; an assertion of LLVM ends
the process that it fails in.  ``OUT.o`` and ``OUT.json`` are written.
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import llvmlite.binding as llvm

from sttest.importers.cpp.control import UnknownBranches
from sttest.importers.cpp.exclusive import exclusive_accesses
from sttest.importers.cpp.instrument import Instrumented
from sttest.importers.cpp.ir import IrModule, parse_module
from sttest.importers.cpp.latency import Latencies

LIBRARY = re.compile(r"^_ZZ?N?K?(?:St|S[abdios]|9__gnu|6sttest|3hls|9sttest_ap|11sttest_axis|12sttest_fixed|[678]ap_)")
"""Of names of functions that are no processes: those of the headers and of the standard library."""
STRUCTOR = re.compile(r"^_ZN.*[CD][0125]E")
_NAMED = re.compile(r'@("[^"]*"|[\w.$-]+)')
DATAFLOW = "sttest_dataflow"


def main(request: Path, out: Path, parts: Sequence[Path]) -> None:
    """Writes the object file and what is known of the design."""
    asked = json.loads(request.read_text(encoding="utf-8"))
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1, reloc="static", codemodel="small")
    module = llvm.parse_bitcode(parts[0].read_bytes())
    for each in parts[1:]:
        module.link_in(llvm.parse_bitcode(each.read_bytes()))
    _run(module, machine, "always_inliner")
    roles = roles_of(parse_module(_text(module)), asked["top"])
    top = next((name for name, role in roles.items() if role.endswith("top")), "")
    if not top:
        tops = sorted(name for name, role in roles.items() if role == "region")
        out.with_suffix(".json").write_text(json.dumps({"tops": tops}), encoding="utf-8")
        return
    _shape(module, machine, roles, top)
    parsed = parse_module(_text(module))
    instrumented = Instrumented(parsed, roles, top, asked["values"], asked["headers"])
    facts = instrumented.run()
    control = UnknownBranches(parsed, instrumented, top, set(asked["values"]))
    facts |= {"findings": control.findings(), **Latencies(parsed, instrumented).facts()}
    facts |= exclusive_accesses(instrumented)
    made = llvm.parse_assembly(instrumented.text())
    made.verify()
    out.with_suffix(".json").write_text(json.dumps(facts), encoding="utf-8")
    out.with_suffix(".o").write_bytes(machine.emit_object(made))


def _text(module: llvm.ModuleRef) -> str:
    """The text of a module without what only optimizers read."""
    text = re.sub(r", !(?:tbaa|tbaa\.struct|srcloc|heapallocsite|noalias|alias\.scope) !\d+", "", str(module))
    return re.sub(r"^  (?:tail )?call void @llvm\.(?:lifetime|dbg|experimental\.noalias)[^\n]*\n", "", text, flags=re.M)


def _run(module: llvm.ModuleRef, machine: llvm.TargetMachine, *passes: str) -> None:
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    manager = llvm.create_new_module_pass_manager()
    for name in passes:
        getattr(manager, f"add_{name}_pass")()
    manager.run(module, builder)


def roles_of(module: IrModule, wanted: str) -> dict[str, str]:
    """What each defined function is: a ``region``, a ``process``, the ``top`` (or ``region,top``), or ``helper``.

    Args:
        module: the design with the headers' functions inlined.
        wanted: name of the top in the source; empty for the one region that none calls.
    """
    called: dict[str, set[str]] = {}
    roles = {each.name: "helper" for each in module.functions}
    taken: set[str] = set()
    for function in module.functions:
        calls = called.setdefault(function.name, set())
        for _, each in function.instructions():
            if each.callee:
                calls.add(each.callee)
            named = {name.strip('"') for name in _NAMED.findall(each.text)}
            taken |= named - {each.callee}
        is_initial = function.name.startswith(("__cxx_global_", "_GLOBAL__"))  # of what is outside of functions
        if (DATAFLOW in calls or "sttest_task" in calls) and not is_initial:
            roles[function.name] = "region"
    for name in taken & set(roles):
        if not _is_library(name) or "sttest_np" in name:
            roles[name] = "process" if roles[name] == "helper" else roles[name]
    for function in module.functions:
        if roles[function.name] == "region" and DATAFLOW in called[function.name]:
            for name in called[function.name] & set(roles):
                if roles[name] == "helper" and not _is_library(name) and not STRUCTOR.match(name):
                    roles[name] = "process"
    callees = set().union(*(names - {name} for name, names in called.items()))
    found = _top(module, roles, callees, wanted)
    if found:
        roles[found] = "region,top" if roles[found] == "region" else "top"
    return roles


def _is_library(name: str) -> bool:
    return LIBRARY.match(name) is not None


def _top(module: IrModule, roles: dict[str, str], callees: set[str], wanted: str) -> str:
    if wanted:
        named = [each.name for each in module.functions if module.subprogram(each)[0].partition("<")[0] == wanted]
        return next((name for name in named if roles[name] == "region"), named[0] if named else "")
    regions = [name for name, role in roles.items() if role == "region" and not _is_library(name)]
    free = [name for name in regions if name not in callees]
    return free[0] if len(free) == 1 else regions[0] if len(regions) == 1 else ""


def _shape(module: llvm.ModuleRef, machine: llvm.TargetMachine, roles: dict[str, str], top: str) -> None:
    """Inlines helpers into processes, and brings values into registers."""
    for function in module.functions:
        if function.is_declaration:
            continue
        role = roles.get(function.name, "helper")
        if role == "helper":
            function.linkage = llvm.Linkage.internal
            function.add_function_attribute("alwaysinline")
        else:
            function.linkage = llvm.Linkage.external if function.name == top else llvm.Linkage.internal
            function.add_function_attribute("noinline")
    _run(
        module, machine, "always_inliner", "sroa", "simplify_cfg", "instruction_combine", "simplify_cfg",
        "global_dead_code_eliminate", "loop_simplify",
    )  # fmt: skip


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(each) for each in sys.argv[3:]])
