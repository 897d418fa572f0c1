"""A layer of a model class as a module: what comes in, what is held, and that it computes what the model computes."""

import json

import numpy as np
import pytest

pytest.importorskip("torch_mlir")
transformers = pytest.importorskip("transformers")

import torch

from sttest.core.errors import DoesNotFitError, InputError
from sttest.frontend.layers.asked import AskedLayer, ModelClass
from sttest.frontend.layers.building import Weights, built_model
from sttest.frontend.layers.layer import captured_layer
from sttest.frontend.layers.model_inputs import ModelInputs
from sttest.frontend.layers.sizes import shrunk
from sttest.frontend.layers.written import layer_name, write_layer
from sttest.frontend.module_source import ModuleSource

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def configuration(tmp_path_factory):
    """Writes a configuration of a class of transformers, and gives its path."""

    def write(kind, **fields):
        path = tmp_path_factory.mktemp("model") / "config.json"
        path.write_text(json.dumps(getattr(transformers, kind)(**fields).to_dict()))
        return str(path)

    return write


def asked(config, model="transformers:LlamaForCausalLM", phase="prefill", tokens=6, context=0, **more):
    return AskedLayer(model, config, phase, tokens, context, **({"small": True} | more))


GROUPED = {"num_attention_heads": 32, "num_key_value_heads": 8}


def test_only_hidden_states_and_the_cache_come_in(configuration):
    config = configuration("LlamaConfig", **GROUPED)
    module, example = captured_layer(asked(config))
    assert {name: tuple(each.shape) for name, each in example.items()} == {"hidden_states": (1, 6, 64)}
    held = dict(module.named_buffers())
    assert {"attention_mask", "position_embeddings_0", "position_embeddings_1"} <= held.keys()
    assert torch.equal(held["attention_mask"][0, 0] == 0, torch.ones(6, 6).tril().bool())
    assert {name: tuple(each.shape) for name, each in module(**example).items()} == {
        "hidden_states": (1, 6, 64),
        "key": (1, 2, 6, 16),
        "value": (1, 2, 6, 16),
    }


@pytest.mark.parametrize(
    ("kind", "model", "fields"),
    [
        ("LlamaConfig", "LlamaForCausalLM", {}),
        ("GPT2Config", "GPT2LMHeadModel", {}),
        ("Gemma3TextConfig", "Gemma3ForCausalLM", {}),
        ("BloomConfig", "BloomForCausalLM", {}),
        ("MistralConfig", "MistralForCausalLM", {"sliding_window": 4}),
    ],
)
def test_a_decode_step_is_the_end_of_a_prefill(configuration, kind, model, fields):
    config, model = configuration(kind, **fields), f"transformers:{model}"
    step, given = captured_layer(asked(config, model, "decode", 2, 6))
    prompt, _ = captured_layer(asked(config, model, "prefill", 8))
    # What fills the cache is drawn as the words of a prefill of the same seed are.
    first, before = captured_layer(asked(config, model, "prefill", 6))
    states = torch.cat([before["hidden_states"], given["hidden_states"]], 1)
    with torch.no_grad():
        whole, found, filled = prompt(hidden_states=states), step(**given), first(**before)
    kept = given["past_key"].shape[2]  # of a window, the last tokens alone
    assert kept == min(6, fields.get("sliding_window", 7) - 1)
    assert torch.allclose(filled["key"][:, :, -kept:], given["past_key"], atol=1e-6)
    for name, dim in (("hidden_states", 1), ("key", 2), ("value", 2)):
        assert torch.allclose(found[name], whole[name].narrow(dim, 6, 2), atol=1e-5), name


def test_it_is_the_layer_of_a_model_with_the_same_weights(configuration):
    config = configuration("LlamaConfig", **GROUPED, num_hidden_layers=2)
    module, example = captured_layer(asked(config))
    small = transformers.LlamaConfig.from_dict(shrunk(transformers.LlamaConfig.from_json_file(config).to_dict()))
    model = transformers.LlamaModel(small).eval()
    model.layers[0].load_state_dict(module.layer.state_dict())
    with torch.no_grad():
        states = model(inputs_embeds=example["hidden_states"], output_hidden_states=True).hidden_states
        assert torch.allclose(states[1], module(**example)["hidden_states"], atol=1e-5)


def test_a_later_layer_is_named_by_its_path(configuration):
    config = configuration("Gemma3TextConfig")
    kinds = transformers.Gemma3TextConfig().layer_types
    number = kinds.index("full_attention")
    module, example = captured_layer(asked(config, f"transformers:Gemma3ForCausalLM:model.layers.{number}"))
    assert module.layer.self_attn.layer_idx == number
    assert module.layer.self_attn.sliding_window is None
    assert module(**example).keys() == {"hidden_states", "key", "value"}


def test_attention_to_an_encoder_takes_its_states_in_prefill_and_its_keys_in_decode(configuration):
    config = configuration("WhisperConfig")
    model = "transformers:WhisperModel:decoder.layers.0"
    _, prefill = captured_layer(asked(config, model))
    assert prefill.keys() == {"hidden_states", "encoder_hidden_states"}
    step, decode = captured_layer(asked(config, model, "decode", 1, 6))
    assert {"past_key", "past_value", "cross_key", "cross_value"} <= decode.keys()
    assert {"hidden_states", "key", "value"} == step(**decode).keys()


def test_weights_are_drawn_by_their_seed_and_only_for_what_runs(configuration):
    config = configuration("LlamaConfig")
    one, again, other = (captured_layer(asked(config, seed=seed))[0].state_dict() for seed in (1, 1, 2))
    name = "layer.mlp.up_proj.weight"
    assert torch.equal(one[name], again[name])
    assert not torch.equal(one[name], other[name])
    model = built_model(asked(config))
    weights = Weights(model, 0)
    weights.fill(model.model.layers[0])
    assert model.model.layers[0].mlp.up_proj.weight.device.type == "cpu"
    assert model.model.layers[1].mlp.up_proj.weight.device.type == "meta"


def test_words_that_go_to_the_device_of_their_table_have_values(configuration):
    config = configuration("Llama4TextConfig", moe_layers=[], num_hidden_layers=4)
    one, again = (captured_layer(asked(config, "transformers:Llama4ForCausalLM"))[1]["hidden_states"] for _ in range(2))
    assert torch.equal(one, again)
    assert 0.5 < one.std() < 2


def test_a_state_that_a_layer_writes_to_is_returned_and_stays_as_it_was(configuration):
    config = configuration("RwkvConfig", hidden_size=32, attention_hidden_size=32, num_hidden_layers=2, vocab_size=96)
    module, example = captured_layer(asked(config, "transformers:RwkvForCausalLM"))
    before = {name: each.clone() for name, each in module.named_buffers()}
    one, again = module(**example), module(**example)
    assert {name for name in one if name.startswith("new_")} == {f"new_{name}" for name in before} != set()
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert all(torch.equal(each, before[name]) for name, each in module.named_buffers())
    assert not torch.equal(one["new_state_0"], before["state_0"])


def test_tied_weights_are_one(configuration):
    model = built_model(asked(configuration("GPT2Config"), "transformers:GPT2LMHeadModel"))
    weights = Weights(model, 0)
    weights.fill(model)
    assert model.lm_head.weight is model.transformer.wte.weight


def test_a_layer_that_does_not_fit_is_refused_before_it_is_drawn(configuration):
    config = configuration("LlamaConfig", hidden_size=2**16, intermediate_size=2**18, num_hidden_layers=1)
    with pytest.raises(DoesNotFitError, match=r"GiB.*--small"):
        captured_layer(asked(config, small=False))


# --- Small sizes


def test_small_sizes_keep_what_a_layer_computes():
    grouped = shrunk({"hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8})
    assert grouped == {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2}
    single = shrunk({"hidden_size": 4544, "num_attention_heads": 71, "num_kv_heads": 1})
    assert single == {"hidden_size": 64, "num_attention_heads": 4, "num_kv_heads": 1}
    # Gemma's heads are wider together than its hidden state.
    wide = shrunk({"hidden_size": 3072, "num_attention_heads": 16, "head_dim": 256, "intermediate_size": 24576})
    assert wide == {"hidden_size": 48, "num_attention_heads": 4, "head_dim": 16, "intermediate_size": 192}
    half = shrunk({"n_embd": 4096, "n_head": 16, "rotary_dim": 64})
    assert half["rotary_dim"] / 16 == 64 / 256


def test_words_that_mean_something_else_are_not_drawn(configuration):
    config = configuration("LlamaConfig", eos_token_id=[7, 8], pad_token_id=9)
    model = built_model(asked(config))
    drawn = ModelInputs(model, asked(config), 0).prefill(10_000)["input_ids"]
    assert set(range(96)) - set(drawn.unique().tolist()) == {1, 7, 8, 9}


def test_heads_of_a_state_space_stay_as_wide_as_the_expanded_hidden_state():
    sizes = {"hidden_size": 4096, "num_attention_heads": 32, "mamba_expand": 2, "mamba_d_head": 64}
    found = shrunk(sizes | {"mamba_n_heads": 128})
    assert found["mamba_n_heads"] * found["mamba_d_head"] == 2 * found["hidden_size"] == 128
    assert shrunk(sizes | {"mamba_n_heads": 32})["mamba_d_head"] == 64  # of a width of its own


def test_parts_of_a_configuration_are_shrunk_themselves():
    text = {"hidden_size": 4096, "num_attention_heads": 32}
    found = shrunk(
        {"model_type": "both", "text_config": text, "vision_config": {**text, "image_size": 336, "patch_size": 14}}
    )
    assert found["text_config"]["hidden_size"] == 64
    assert found["vision_config"]["image_size"] == 56


# --- Spelling, a class of one's own, and what is refused

OWN = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
    def forward(self, x, scale):
        return x + scale * self.down(torch.relu(self.up(x)))
class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.words = nn.Embedding(config.words, config.width)
        self.blocks = nn.ModuleList(Block(config.width) for _ in range(config.depth))
    def forward(self, input_ids):
        x = self.words(input_ids)
        for number, block in enumerate(self.blocks):
            x = block(x, torch.tensor(1.0 / (number + 1)))
        return x
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "config.json").write_text('{"words": 50, "width": 32, "depth": 3}')
    return tmp_path


def test_a_class_of_a_file_takes_the_configuration_as_a_namespace(own):
    module, example = captured_layer(asked(str(own / "config.json"), f"{own}/own.py:Model:blocks.1", small=False))
    assert example.keys() == {"x"}
    assert dict(module.named_buffers())["scale"] == 0.5
    assert module.layer.up.weight.abs().max() > 0


def test_the_written_file_makes_the_layer(own):
    reference = write_layer(asked(str(own / "config.json"), f"{own}/own.py:Model", small=False), own / "layers")
    assert reference.endswith("-prefill-n6.py:make")
    source = ModuleSource.load(reference)
    assert source.keywords.keys() == {"x"}
    found = source.run(source.inputs())["hidden_states"]
    p = {name: each.detach().numpy() for name, each in source.module.named_parameters()}
    x = source.inputs()["x"]
    hidden = np.maximum(x @ p["layer.up.weight"].T + p["layer.up.bias"], 0)
    assert np.allclose(found, x + hidden @ p["layer.down.weight"].T + p["layer.down.bias"], atol=1e-5)


def test_nothing_of_a_name_is_run(own, tmp_path):
    folder = tmp_path / "a'+exit()+'"
    folder.mkdir()
    (folder / "config.json").write_text((own / "config.json").read_text())
    asked_ = asked(str(folder / "config.json"), f"{own}/own.py:Model", small=False)
    assert layer_name(asked_) == "a-exit-prefill-n6"
    assert ModuleSource.load(write_layer(asked_, tmp_path / "layers")).keywords.keys() == {"x"}


def test_a_file_of_ones_own_is_not_replaced(own):
    given = asked(str(own / "config.json"), f"{own}/own.py:Model", small=False)
    path = own / "layers" / f"{layer_name(given)}.py"
    path.parent.mkdir()
    path.write_text("mine = 1\n")
    with pytest.raises(InputError, match="did not write it"):
        write_layer(given, path.parent)
    assert path.read_text() == "mine = 1\n"


@pytest.mark.parametrize("text", ["LlamaForCausalLM", "transformers:", "my.py", "os:system", "transformers:A:b c"])
def test_a_class_that_is_spelled_wrongly_is_refused(text):
    with pytest.raises(InputError, match="transformers:CLASS"):
        ModelClass.parse(text)


def test_what_cannot_be_had_is_refused_with_a_way_out(configuration, own):
    llama, bert = configuration("LlamaConfig"), configuration("BertConfig")
    for given, what in [
        (asked(llama, "transformers:LlamaForCausalM"), "did you mean 'LlamaForCausalLM'"),
        (asked(bert), "family 'bert'.*'llama'"),
        (asked(llama, "transformers:LlamaForCausalLM:model.layers.99"), "no module.*model.layers.0"),
        (asked(configuration("WhisperConfig"), "transformers:WhisperModel"), "several stacks.*decoder.layers.0"),
        (asked(bert, "transformers:BertModel", "decode", 1, 6), "keeps no cache.*prefill"),
        (asked(llama, tokens=0), "no tokens"),
        (asked(llama, context=4), "empty cache"),
        (asked(str(own), f"{own}/own.py:Block"), "cannot be made"),
        (asked(str(own), f"{own}/none.py:Model"), "no such file"),
        (asked(str(own / "none.json"), f"{own}/own.py:Model"), "none.json"),
    ]:
        with pytest.raises(InputError, match=what):
            captured_layer(given)
