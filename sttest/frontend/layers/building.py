"""A model of which only what runs gets weights: its class, its configuration, and its layers; imports PyTorch."""

import importlib
import importlib.util
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from sttest.core.errors import DoesNotFitError, InputError, did_you_mean
from sttest.core.plain_files import why_no_file
from sttest.frontend.layers.asked import LIBRARY, MAX_WEIGHT_BYTES, AskedLayer, config_data
from sttest.frontend.layers.sizes import shrunk

__depends__ = ()

_LARGE = 2**24
"""Elements of a tensor that is a weight rather than a table."""
_ROWS = 256
"""Rows of the table of words that are drawn; no more words are read."""

# --- The class and its configuration


def model_class(asked: AskedLayer) -> type[nn.Module]:
    """The class of the model.

    Raises:
        InputError: no such class, no model, or a file that fails.
    """
    of = asked.of
    if of.source == LIBRARY:
        library = importlib.import_module(LIBRARY)
        found = getattr(library, of.name, None)
        names = [name for name in dir(library) if name.endswith(("Model", "ForCausalLM", "Encoder"))]
    else:
        user = _user_file(Path(of.source), asked.model)
        found, names = getattr(user, of.name, None), [n for n, each in vars(user).items() if isinstance(each, type)]
    if not isinstance(found, type) or not issubclass(found, nn.Module):
        what = f"{of.source} has no model class '{of.name}'"
        raise InputError("no-class", what, where=asked.model, hints=[did_you_mean(of.name, names)])
    return found


def _user_file(path: Path, where: str) -> Any:
    if not path.is_file():
        raise InputError("no-file", f"{path}: {why_no_file(path)}", where=where, hints=["give FILE.py:CLASS"])
    name = f"sttest_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    user = importlib.util.module_from_spec(spec)
    sys.modules[name] = user
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(user)
    except (Exception, SystemExit) as error:
        hints = ["run the file with python"]
        raise InputError("file-failed", f"{type(error).__name__}: {error}", where=where, hints=hints) from error
    finally:
        sys.path.remove(str(path.resolve().parent))
    return user


def model_config(asked: AskedLayer, kind: type[nn.Module]) -> Any:
    """The configuration as the class takes it: of its ``config_class``, or a namespace of the file's fields.

    Raises:
        InputError: of another family, or refused by its class.
    """
    data = config_data(asked.config)
    config_class = getattr(kind, "config_class", None)
    if config_class is None:
        return SimpleNamespace(**(shrunk(data) if asked.small else data))
    family, given = getattr(config_class, "model_type", ""), data.get("model_type")
    if given not in (None, family):
        part = next(
            (each for each in data.values() if isinstance(each, dict) and each.get("model_type") == family), None
        )
        if part is None:
            what = f"the configuration is of the family '{given}', {asked.of.name} takes '{family}'"
            named = data.get("architectures")
            hints = [f"name a class of that family, as 'architectures' of the file does: {named}"]
            raise InputError("other-family", what, where=asked.config, hints=hints)
        data = part
    try:
        config = config_class.from_dict(data)
        if asked.small:
            config = config_class.from_dict(shrunk(config.to_dict()))
    except Exception as error:
        what = f"{config_class.__name__} refuses it: {type(error).__name__}: {error}"
        raise InputError("bad-config", what, where=asked.config, hints=["correct the file"]) from error
    config._attn_implementation = "eager"  # what loops over all heads at once
    if hasattr(config, "_experts_implementation"):
        config._experts_implementation = "eager"
    return config


# --- A model whose parameters have shapes and no values


def built_model(asked: AskedLayer) -> nn.Module:
    """The model in evaluation mode, its parameters without values.

    Raises:
        InputError: see :func:`model_class` and :func:`model_config`, or the class fails.
    """
    kind = model_class(asked)
    config = model_config(asked, kind)
    try:
        with _without_weights():
            return kind(config).eval()
    except Exception as error:
        what = f"{kind.__name__} cannot be made: {type(error).__name__}: {error}"
        raise InputError("not-built", what, where=asked.config, hints=["correct the configuration"]) from error


@contextmanager
def _without_weights() -> Iterator[None]:
    """Parameters are registered on the meta device, which holds no values; buffers, such as tables, stay real."""
    register = nn.Module.register_parameter

    def registered(module: nn.Module, name: str, param: nn.Parameter | None) -> None:
        if param is not None and param.device.type != "meta":
            param = nn.Parameter(param.to("meta"), requires_grad=False)
        register(module, name, param)

    nn.Module.register_parameter = registered  # pyright: ignore[reportAttributeAccessIssue]
    try:
        with _LargeOnMeta():
            yield
    finally:
        nn.Module.register_parameter = register


class _LargeOnMeta(TorchFunctionMode):
    """Large tensors of no defined values, which become parameters, take no memory even before they are registered."""

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.empty:
            size = kwargs.get("size", args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args)
            if torch.Size(size).numel() > _LARGE:
                kwargs = {**kwargs, "device": "meta"}
        return func(*args, **kwargs)


class Weights:
    """Gives modules their weights, drawn by a seed, when they are about to run."""

    def __init__(self, model: nn.Module, seed: int) -> None:
        self.seed = seed
        self.names: dict[nn.Parameter, str] = {}  # a shared one has one name, and one value
        for name, parameter in model.named_parameters(remove_duplicate=False):
            self.names.setdefault(parameter, name)
        self.made: dict[nn.Parameter, nn.Parameter] = {}
        self.bytes = 0

    @contextmanager
    def on_demand(self, model: nn.Module, whole: nn.Module) -> Iterator[None]:
        """While it lasts, a module that runs gets its own parameters first, and `whole` gets all of its."""
        hooks = [each.register_forward_pre_hook(self._before) for each in model.modules() if each._parameters]
        hooks.append(whole.register_forward_pre_hook(lambda module, _: self.fill(module)))
        # Models move words to the device of their table before it runs, which has to be a real one.
        words = model.get_input_embeddings() if hasattr(model, "get_input_embeddings") else None  # pyright: ignore[reportCallIssue]
        if isinstance(words, nn.Embedding):
            self._before(words, ())
        try:
            yield
        finally:
            for each in hooks:
                each.remove()

    def fill(self, module: nn.Module) -> None:
        """Gives a module and all within it their weights."""
        for each in module.modules():
            self._before(each, ())

    def _before(self, module: nn.Module, _: Any) -> None:
        for name, parameter in list(module._parameters.items()):
            if parameter is None or parameter.device.type != "meta":
                continue
            if parameter not in self.made:
                self.made[parameter] = nn.Parameter(self._drawn(module, parameter), requires_grad=False)
            module._parameters[name] = self.made[parameter]

    def _drawn(self, module: nn.Module, parameter: nn.Parameter) -> Tensor:
        """Values of a spread that keeps the magnitude of what passes: matrices, factors near 1, small biases."""
        name, shape = self.names.get(parameter, ""), list(parameter.shape)
        if isinstance(module, nn.Embedding) and parameter.shape[0] > _ROWS and _is_vocabulary(module, name):
            shape[0], module.padding_idx = _ROWS, None
        self.bytes += 4 * torch.Size(shape).numel()
        if self.bytes > MAX_WEIGHT_BYTES:
            raise DoesNotFitError(
                "too-large",
                "the layer's weights do not fit this machine",
                where=name,
                demand=self.bytes / 2**30,
                bound=MAX_WEIGHT_BYTES / 2**30,
                unit="GiB",
                hints=["take --small"],
            )
        generator = torch.Generator().manual_seed(zlib.crc32(f"{self.seed}:{name}".encode()))
        values = torch.randn(shape, generator=generator)
        if len(shape) >= 2:
            return values * max(shape[-2:]) ** -0.5 if not isinstance(module, nn.Embedding) else values
        return values * 0.1 + (0.0 if "bias" in name.rpartition(".")[2] else 1.0)


def _is_vocabulary(module: nn.Embedding, name: str) -> bool:
    """Whether a table is of words rather than positions."""
    return "pos" not in name and "pos" not in type(module).__name__.lower()


# --- Its layers


def layer_path(model: nn.Module, asked: AskedLayer) -> str:
    """The path of the asked layer: what was named, or the first of the only stack of layers.

    Raises:
        InputError: no such module, or no or several stacks.
    """
    if asked.of.path:
        found = dict(model.named_modules()).get(asked.of.path)
        if found is None:
            stacks = ", ".join(f"{path}.0" for path in _stacks(model)[:8])
            hints = [f"stacks of layers begin at {stacks}" if stacks else "see model.named_modules()"]
            raise InputError("no-layer", f"the model has no module '{asked.of.path}'", where=asked.model, hints=hints)
        return asked.of.path
    stacks = _stacks(model)
    if len(stacks) != 1:
        what = "the model has several stacks of layers" if stacks else "the model has no stack of layers"
        hints = [f"name a layer, as in {asked.of.source}:{asked.of.name}:{path}.0" for path in stacks[:4]]
        hints = hints or [f"name the module, as in {asked.of.source}:{asked.of.name}:PATH"]
        raise InputError("which-layer", what, where=asked.model, hints=hints)
    return f"{stacks[0]}.0"


def _stacks(model: nn.Module) -> list[str]:
    """Paths of the outermost lists of modules of one kind, deepest first counted by the number of their layers."""
    found: list[str] = []
    for path, module in model.named_modules():
        inside = any(path.startswith(f"{each}.") for each in found)
        if isinstance(module, nn.ModuleList | nn.Sequential) and len(module) and not inside:
            found.append(path)
    most = _layer_count(model)
    counted = [path for path in found if most is None or len(model.get_submodule(path)) == most]  # pyright: ignore[reportArgumentType]
    return counted or found


def _layer_count(model: nn.Module) -> int | None:
    config = getattr(model, "config", None)
    for name in ("num_hidden_layers", "n_layer", "n_layers", "num_layers"):
        count = getattr(config, name, None)
        if isinstance(count, int):
            return count
    return None
