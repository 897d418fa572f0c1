"""Programs that cannot be lowered, at the top level of a module so that another process can build them."""

from __future__ import annotations

from sttest.models.program import TorchProgram


def int8_matmul() -> TorchProgram:
    """An int8 product with an int8 result, on which torch-mlir ends the interpreter."""
    import torch

    class Int8Matmul(torch.nn.Module):
        def forward(self, x, w):
            return (x + 1) @ w

    x = torch.empty(8, 8, dtype=torch.int8, device="meta")
    return TorchProgram(Int8Matmul(), {"x": x, "w": x})


def unknown_to_mlir() -> TorchProgram:
    """An op for which torch-mlir has no lowering."""
    import torch

    class Eigen(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x)

    return TorchProgram(Eigen(), {"x": torch.empty(8, 8, device="meta")})


def not_exportable() -> TorchProgram:
    """A module whose control flow depends on values."""
    import torch

    class Branch(torch.nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    return TorchProgram(Branch(), {"x": torch.empty(4, device="meta")})


def leaves_index_arithmetic() -> TorchProgram:
    """An op that lowers to reads at computed places."""
    import torch

    class Gather(torch.nn.Module):
        def forward(self, x, places):
            return x[places]

    places = torch.empty(4, dtype=torch.int64, device="meta")
    return TorchProgram(Gather(), {"x": torch.empty(16, 8, device="meta"), "places": places})


def good_or_bad(*, good: bool) -> TorchProgram:
    """A program that lowers, or :func:`int8_matmul`."""
    import torch

    x = torch.empty(8, 8, device="meta")
    return TorchProgram(torch.nn.ReLU(), {"input": x}) if good else int8_matmul()
