"""Between the tensors that a design computes on and the images of memory that its DMAs read and write."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sttest.errors import InputError, did_you_mean
from sttest.sim.functional.element_types import Array, Bytes
from sttest.sim.functional.graph import Load, Result, ValueGraph, View
from sttest.sim.functional.memory import pack, unpack


def memory_images(graph: ValueGraph, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
    """One image per load of a design, by the load's name.

    Args:
        graph: the design.
        tensors: by argument, of the argument's shape; integers of 4 bits in int8.

    Raises:
        InputError: a tensor is missing, belongs to no argument, or has another shape or type.
    """
    for name in graph.argument:
        if name not in tensors:
            raise InputError("missing-argument", f"the argument '{name}' has no values", where=graph.name)
    return images_of(graph, tensors)


def images_of(graph: ValueGraph, tensors: Mapping[str, Array]) -> dict[str, Bytes]:
    """The images of some arguments, as :func:`memory_images` gives those of all: parameters stay from run to run.

    Raises:
        InputError: a tensor belongs to no argument, or has another shape or type.
    """
    for name in tensors:
        if name not in graph.argument:
            levers = [did_you_mean(name, graph.argument)]
            raise InputError("unknown-argument", f"there is no argument '{name:.80}'", where=graph.name, levers=levers)
    wanted = [load for load in graph.loads if load.argument in tensors]
    return {load.name: pack(_read_by(load, tensors), load.layout, graph.stream[load.sink]) for load in wanted}


def read_results(graph: ValueGraph, images: Mapping[str, Bytes]) -> dict[str, Array]:
    """The tensors that a design returns, by name, from the images of its stores.

    Raises:
        InputError: an image is missing, or has another length.
    """
    return {result.name: _read(graph, result, images) for result in graph.results}


def _read_by(load: Load, tensors: Mapping[str, Array]) -> Array:
    """The part of its argument that a load reads."""
    tensor, part = tensors[load.argument], load.part
    if part is None or tensor.shape != load.shape:
        return tensor
    before, after = tensor.shape[: part.dim], tensor.shape[part.dim + 1 :]
    cut = tensor.reshape(*before, -1, part.slices, part.extent // part.slices, *after)
    return cut.take(part.number, axis=part.dim + 1).reshape(load.layout.shape)


def _read(graph: ValueGraph, result: Result, images: Mapping[str, Bytes]) -> Array:
    store = next(node for node in graph.stores if node.name == result.store)
    if store.name not in images:
        raise InputError("missing-image", f"there is no image of '{store.name}'", where=graph.name)
    tensor = unpack(images[store.name], store.layout, graph.stream[store.source])
    for view in result.views:
        tensor = _seen(tensor, view)
    return np.asarray(tensor, order="C")


def _seen(tensor: Array, view: View) -> Array:
    if view.dims is None:
        return tensor.reshape(view.shape)
    kept = [axis for axis, dim in enumerate(view.dims) if dim != -1]
    walked = [view.dims[axis] for axis in kept]
    tensor = tensor.reshape([tensor.shape[axis] for axis in kept])
    ordered = tensor.transpose(np.argsort(walked))
    lined_up = ordered.reshape([size if dim in walked else 1 for dim, size in enumerate(view.shape)])
    return np.broadcast_to(lined_up, view.shape)
