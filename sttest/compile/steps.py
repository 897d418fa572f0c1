"""The door of passes: each by name, with the class that it is, and the pass that it comes behind.

    Offer("passes", "widen", "my_package.steps:WIDEN")

is a :class:`Step`; its pass is imported when it is made.  A pass of an extension runs where ``sttest compile --pass
"widen{most=4}"`` names it, and ``sttest opt -p`` takes it as it takes those of sttest.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from inspect import formatannotation
from typing import Any

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from sttest.built_in import passes
from sttest.compile.options import CompileOptions
from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import Offer, loaded

OWN = frozenset(offer.name for offer in passes.OFFERS)
"""Those of sttest, which run by the options of the compiler."""


@dataclass(frozen=True)
class Step:
    """A pass of the pipeline."""

    name: str  # its own, as ``sttest opt -p`` takes it
    target: str  # its class, a frozen dataclass with its options as fields, as ``package.module:Class``
    after: str = ""  # the pass that it comes right behind; it comes first if there is none
    when: Callable[[CompileOptions], bool] = lambda options: True  # whether it can run with these options
    # arguments that follow from several options
    also: Callable[[CompileOptions], dict[str, Any]] = lambda options: {}

    def load(self) -> type[ModulePass]:
        """The pass; its module is imported now.

        Raises:
            InputError: there is no pass of that name.
        """
        kind = Offer("passes", self.name, self.target).load()
        if not (isinstance(kind, type) and issubclass(kind, ModulePass) and kind.name == self.name):
            what = f"{self.target} is no pass called '{self.name}'"
            raise InputError("broken-extension", what, where="passes")
        return kind

    def runs(self, options: CompileOptions) -> bool:
        """Whether it runs with these options.

        Raises:
            InputError: ``--pass`` names it, and it cannot.
        """
        possible = self.when(options)
        if self.name in OWN:
            return possible
        asked = self.name in _asked(options.passes)
        if asked and not possible:
            raise InputError("pass-not-possible", "it does not run with these options", where=f"pass {self.name}")
        return asked

    def made(self, options: CompileOptions) -> ModulePass:
        """The pass with its options.

        Raises:
            InputError: an option that it does not have, or a value that it refuses.
        """
        spec = _asked(options.passes).get(self.name)
        if spec is not None:
            return _build(self, spec)
        return self.load()(**options.for_pass(self.name), **self.also(options))

    @property
    def options(self) -> str:
        """Its options with their types, as they are written behind its name."""
        return " ".join(
            f"{field.name.replace('_', '-')}=<{formatannotation(field.type)}>"
            for field in dataclasses.fields(self.load())
            if field.name != "name"
        )


# --- The order of the pipeline


@cache
def steps() -> dict[str, Step]:
    """All passes by name, in the order of the pipeline.

    Raises:
        InputError: see :func:`in_order`.
    """
    found = loaded("passes", Step)
    own = [step for name, step in found.items() if name in OWN]
    return {step.name: step for step in in_order(own, [step for name, step in found.items() if name not in OWN])}


def in_order(own: Sequence[Step], others: Sequence[Step]) -> list[Step]:
    """Each behind its anchor; of several behind one, those of extensions first, in the order in which they are offered.

    Raises:
        InputError: a pass is to come behind one that there is not, or passes behind each other in a circle.
    """
    # What is put in last stands next to its anchor.
    known = {step.name: step for step in (*own, *reversed(others))}
    for step in known.values():
        if step.after and step.after not in known:
            what = f"the pass '{step.name}' is to come behind '{step.after}', which is none"
            raise InputError("unknown-anchor", what, where="passes", hints=[did_you_mean(step.after, known)])
    anchors = TopologicalSorter({step.name: [step.after] if step.after else [] for step in known.values()})
    line: list[str] = []
    try:
        for name in anchors.static_order():
            after = known[name].after
            line.insert(line.index(after) + 1 if after else 0, name)
    except CycleError as error:
        what = f"passes are to come behind each other: {' -> '.join(error.args[1])}"
        raise InputError("anchor-circle", what, where="passes") from error
    return [known[name] for name in line]


# --- Pass pipelines as text: ``pass,pass{option=value option=value,value}`` (xDSL's syntax)


WHERE = "pass pipeline"


def parse_passes(pipeline: str) -> tuple[ModulePass, ...]:
    """The passes that a pipeline names; none for an empty text.

    Raises:
        InputError: bad syntax, or an unknown pass or option, with the nearest known one.
    """
    return tuple(_build(_known(spec.name, steps(), WHERE), spec) for spec in _specs(pipeline, WHERE))


@cache
def _asked(passes: tuple[str, ...]) -> dict[str, ArgSpec]:
    """The passes of extensions that ``--pass`` names, with their options."""
    where = "passes (--pass)"
    others = {name: step for name, step in steps().items() if name not in OWN} if passes else {}
    found: dict[str, ArgSpec] = {}
    for spec in (spec for text in passes for spec in _specs(text, where)):
        if spec.name in OWN:
            hints = ["leave it out: it runs by the options of the compiler"]
            raise InputError("own-pass", f"'{spec.name}' is a pass of sttest", where=where, hints=hints)
        if not others:
            hints = ["install the distribution that has it"]
            raise InputError("unknown-pass", f"no extension has a pass '{spec.name}'", where=where, hints=hints)
        if spec.name in found:
            raise InputError("pass-twice", f"'{spec.name}' runs once", where=where, hints=["name it once"])
        found[_known(spec.name, others, where).name] = spec
    return found


def _specs(pipeline: str, where: str) -> list[ArgSpec]:
    try:
        return list(parse_pipeline(pipeline.strip()))
    except ArgSpecParseError as error:
        lines = str(error).splitlines()[1:]
        raise InputError("bad-pipeline", "\n".join(["it does not parse", *lines]), where=where) from error


def _known(name: str, known: dict[str, Step], where: str) -> Step:
    if name not in known:
        raise InputError("unknown-pass", f"unknown pass '{name}'", where=where, hints=[did_you_mean(name, known)])
    return known[name]


def _build(step: Step, spec: ArgSpec) -> ModulePass:
    kind, where = step.load(), f"pass {step.name}"
    known = [field.name.replace("_", "-") for field in dataclasses.fields(kind) if field.name != "name"]
    for option in (option.replace("_", "-") for option in spec.parameters):
        if option not in known:
            hints = [did_you_mean(option, known)] if known else ["leave the braces out, it has no options"]
            raise InputError("unknown-option", f"unknown option '{option}'", where=where, hints=hints)
    try:
        return kind.from_spec(spec)
    except ValueError as error:
        hints = [f"write {step.name}{{{step.options}}}"]
        raise InputError("bad-option", f"{error}", where=where, hints=hints) from error
