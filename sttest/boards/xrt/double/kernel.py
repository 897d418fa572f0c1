"""``kernel``: a kernel of the design on the card."""

from __future__ import annotations

from typing import Any

from sttest.boards.xrt.double.device import Device
from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.double.run import Run
from sttest.boards.xrt.double.xclbin import Uuid
from sttest.boards.xrt.signature import Argument, BufferArgument, DesignSignature, KernelSignature
from sttest.errors import did_you_mean


class Kernel:
    """``kernel(device, uuid, name)``; ``name`` is a kernel's, or ``name:{instance}``.

    Raises:
        MisuseError: nothing or something else is loaded, or there is no such kernel.
    """

    def __init__(self, device: Device, uuid: Uuid, name: str) -> None:
        if not (isinstance(device, Device) and isinstance(uuid, Uuid) and isinstance(name, str)):
            shown = ", ".join(type(argument).__name__ for argument in (device, uuid, name))
            raise misuse("wrong-type", f"kernel({shown})", "kernel", levers=["give (device, uuid, name)"])
        self.card = device.card
        self.generation = self.card.generation
        if self.card.design is None:
            raise misuse("not-loaded", "no xclbin is loaded", f"kernel '{name}'")
        if uuid.value != self.card.uuid:
            raise misuse("wrong-uuid", "the uuid is not that of the xclbin that is loaded", f"kernel '{name}'")
        self.signature = _found(self.card.design, name)

    def __call__(self, *arguments: Any) -> Run:
        """Sets all arguments and starts."""
        signature = self.signature
        if len(arguments) != len(signature.arguments):
            what = f"{len(arguments)} arguments of {len(signature.arguments)}"
            raise misuse("argument-count", what, f"kernel '{signature.name}'")
        run = Run(self)
        for index, argument in enumerate(arguments):
            run.set_arg(index, argument)
        run.start()
        return run

    def group_id(self, index: int, /) -> int:
        """Where the buffer for an argument must be."""
        argument = self.argument(index)
        if not isinstance(argument, BufferArgument):
            raise misuse("buffer-expected", f"argument {index}, '{argument.name}', is a scalar", self.where("group_id"))
        return self.card.group_of(argument.banks)

    def argument(self, index: int) -> Argument:
        """The signature of an argument."""
        count = len(self.signature.arguments)
        if not (isinstance(index, int) and 0 <= index < count):
            raise misuse("bad-index", f"argument {index!r} of {count}", f"kernel '{self.signature.name}'")
        return self.signature.arguments[index]

    def where(self, call: str) -> str:
        """The place of an error."""
        return f"kernel '{self.signature.name}', {call}"


def _found(design: DesignSignature, name: str) -> KernelSignature:
    base, _, instance = name.partition(":")
    signature = design.kernel(base)
    if signature is None:
        levers = [did_you_mean(base, [kernel.name for kernel in design.kernels])]
        raise misuse("unknown-kernel", f"no kernel '{base}'", f"design '{design.design}'", levers=levers)
    if instance and instance.strip("{}") not in signature.compute_units:
        levers = [did_you_mean(instance.strip("{}"), signature.compute_units)]
        raise misuse("unknown-kernel", f"no instance '{instance}'", f"kernel '{base}'", levers=levers)
    return signature
