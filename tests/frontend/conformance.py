"""One layer of every family of transformers that is listed here, compiled and compared with PyTorch.

``python tests/frontend/conformance.py [FAMILY ...]`` measures all rows, or those of some families, and writes
``conformance.csv`` and the table in ``docs/your-model/any-layer.md``.  Rows are independent of each other.
"""

from __future__ import annotations

import csv
import re
import sys
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TABLE = HERE / "conformance.csv"
PAGE = HERE.parents[1] / "docs" / "your-model" / "any-layer.md"
LEAST_DB = 100
TOKENS = 16
"""Of a prompt, and of what is cached."""


@dataclass(frozen=True)
class Case:
    """A layer: a class of transformers, perhaps a path in its model, and what its configuration has beside defaults."""

    family: str
    model: str
    phases: tuple[str, ...] = ("prefill", "decode")
    config: dict[str, Any] = field(default_factory=dict)


def _encoder(family: str, model: str, **config: Any) -> Case:
    return Case(family, model, ("prefill",), config)


CASES = (
    Case("Apertus", "ApertusForCausalLM"),
    Case("Arcee", "ArceeForCausalLM"),
    Case("BART", "BartModel:decoder.layers.0"),
    Case("BioGPT", "BioGptForCausalLM"),
    Case("BLOOM", "BloomForCausalLM"),
    Case("CodeGen", "CodeGenForCausalLM"),
    Case("Cohere", "CohereForCausalLM"),
    Case("Cohere2", "Cohere2ForCausalLM"),
    Case("DeepSeek V2", "DeepseekV2ForCausalLM", config={"first_k_dense_replace": 1, "num_experts_per_tok": 6}),
    Case("DeepSeek V3", "DeepseekV3ForCausalLM"),
    Case("DeepSeek V3, experts", "DeepseekV3ForCausalLM", config={"first_k_dense_replace": 0}),
    Case("DiffLlama", "DiffLlamaForCausalLM"),
    Case("Doge", "DogeForCausalLM"),
    Case("Ernie 4.5", "Ernie4_5ForCausalLM"),
    Case("Exaone 4", "Exaone4ForCausalLM"),
    Case("Falcon", "FalconForCausalLM"),
    Case("Falcon Mamba", "FalconMambaForCausalLM"),
    Case("Falcon, grouped heads", "FalconForCausalLM", config={"new_decoder_architecture": True, "num_kv_heads": 8}),
    Case("Gemma", "GemmaForCausalLM"),
    Case("Gemma 2", "Gemma2ForCausalLM"),
    Case("Gemma 3", "Gemma3ForCausalLM"),
    Case("Gemma 3n", "Gemma3nForCausalLM"),
    Case("GLM", "GlmForCausalLM"),
    Case("GLM 4", "Glm4ForCausalLM"),
    Case("GPT-2", "GPT2LMHeadModel"),
    Case("GPT-BigCode", "GPTBigCodeForCausalLM"),
    Case("GPT-J", "GPTJForCausalLM"),
    Case("GPT-Neo", "GPTNeoForCausalLM"),
    Case("GPT-NeoX", "GPTNeoXForCausalLM"),
    Case("gpt-oss", "GptOssForCausalLM"),
    Case("Granite", "GraniteForCausalLM"),
    Case("Helium", "HeliumForCausalLM"),
    Case("Hunyuan", "HunYuanDenseV1ForCausalLM", config={"head_dim": 128}),
    Case("Jamba", "JambaForCausalLM"),
    Case("LED, decoder", "LEDModel:decoder.layers.0"),
    Case("LFM 2", "Lfm2ForCausalLM"),
    Case("Llama", "LlamaForCausalLM"),
    Case("Llama 4, dense", "Llama4ForCausalLM", config={"moe_layers": []}),
    Case("M2M-100, decoder", "M2M100Model:decoder.layers.0"),
    Case("Mamba", "MambaForCausalLM"),
    Case("Mamba 2", "Mamba2ForCausalLM"),
    Case("Ministral", "MinistralForCausalLM", config={"head_dim": 128}),
    Case("Mistral", "MistralForCausalLM"),
    Case("Mixtral", "MixtralForCausalLM"),
    Case("Marian, decoder", "MarianModel:decoder.layers.0"),
    Case("mBART, decoder", "MBartModel:decoder.layers.0"),
    Case("MPT", "MptForCausalLM"),
    Case("nanochat", "NanoChatForCausalLM"),
    Case("Nemotron", "NemotronForCausalLM", config={"num_key_value_heads": 48}),
    Case("OLMo", "OlmoForCausalLM"),
    Case("OLMo 2", "Olmo2ForCausalLM"),
    Case("OLMo 3", "Olmo3ForCausalLM"),
    Case("OLMoE", "OlmoeForCausalLM"),
    Case("OpenAI GPT", "OpenAIGPTLMHeadModel", ("prefill",)),  # it keeps no cache
    Case("OPT", "OPTForCausalLM"),
    Case("Pegasus, decoder", "PegasusModel:decoder.layers.0"),
    Case("Persimmon", "PersimmonForCausalLM"),
    Case("Phi", "PhiForCausalLM"),
    Case("Phi-3", "Phi3ForCausalLM"),
    Case("Phi-4 mini", "Phi3ForCausalLM", config={"partial_rotary_factor": 0.75, "num_key_value_heads": 8}),
    Case("Qwen 2", "Qwen2ForCausalLM"),
    Case("Qwen 3", "Qwen3ForCausalLM"),
    Case("Qwen 3 MoE", "Qwen3MoeForCausalLM"),
    Case("RecurrentGemma", "RecurrentGemmaForCausalLM", ("prefill",)),  # its state is no cache of transformers
    Case(  # its state is no cache of transformers, and it has no heads to shrink by
        "RWKV",
        "RwkvForCausalLM",
        ("prefill",),
        {"hidden_size": 64, "attention_hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 4},
    ),
    Case("Seed-OSS", "SeedOssForCausalLM"),
    Case("SmolLM 3", "SmolLM3ForCausalLM"),
    Case("StableLM", "StableLmForCausalLM"),
    Case("StarCoder 2", "Starcoder2ForCausalLM"),
    Case("T5, decoder", "T5Model:decoder.block.0"),
    Case("VaultGemma", "VaultGemmaForCausalLM"),
    Case("Whisper, decoder", "WhisperModel:decoder.layers.0"),
    Case("XGLM", "XGLMForCausalLM"),
    Case("Bamba", "BambaForCausalLM", config={"attn_layer_indices": [1], "mamba_chunk_size": 8}),
    Case("BitNet", "BitNetForCausalLM"),
    Case("CTRL", "CTRLLMHeadModel"),
    Case("Falcon H1", "FalconH1ForCausalLM", config={"mamba_chunk_size": 8}),
    _encoder("ALBERT", "AlbertModel"),
    _encoder("BEiT", "BeitModel"),
    _encoder("BERT", "BertModel"),
    _encoder("CamemBERT", "CamembertModel"),
    _encoder("CLIP", "CLIPVisionModel"),
    _encoder("CLIP, text", "CLIPTextModel"),
    _encoder("Data2Vec, vision", "Data2VecVisionModel"),
    _encoder("DeBERTa v2", "DebertaV2Model"),
    _encoder("DeiT", "DeiTModel"),
    _encoder("DINOv2", "Dinov2Model"),
    _encoder("DistilBERT", "DistilBertModel"),
    _encoder("ELECTRA", "ElectraModel"),
    _encoder("LayoutLM", "LayoutLMModel"),
    _encoder("ModernBERT", "ModernBertModel"),
    _encoder("MPNet", "MPNetModel"),
    _encoder("Nystromformer", "NystromformerModel"),
    _encoder("RoBERTa", "RobertaModel"),
    _encoder("RoFormer", "RoFormerModel"),
    _encoder("SigLIP", "SiglipVisionModel"),
    _encoder("Splinter", "SplinterModel"),
    _encoder("T5, encoder", "T5EncoderModel"),
    _encoder("ViT", "ViTModel"),
    _encoder("ViT-MAE", "ViTMAEModel"),
    _encoder("XLM-RoBERTa", "XLMRobertaModel"),
    _encoder("Whisper, encoder", "WhisperModel:encoder.layers.0"),
)


@dataclass(frozen=True)
class Row:
    """What became of a layer: ``right``, ``wrong`` or ``refused``; decibels of the worst result; the cause."""

    family: str
    model: str
    phase: str
    outcome: str
    decibels: str = ""
    cause: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.family, self.phase


def sqnr_db(true: np.ndarray, found: np.ndarray) -> float:
    noise = np.sum((true - found).astype(np.float64) ** 2)
    return np.inf if noise == 0 else 10 * np.log10(np.sum(true.astype(np.float64) ** 2) / noise)


def measured(case: Case, phase: str) -> Row:
    """Compiles a layer in fp32, runs the design in the reference engine, and compares every result with PyTorch."""
    from sttest.core.errors import SttestError

    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        try:
            worst = _worst_db(case, phase, Path(folder))
        except SttestError as error:
            return Row(case.family, case.model, phase, "refused", "", _cause(error))
    return Row(case.family, case.model, phase, "right" if worst >= LEAST_DB else "wrong", f"{worst:.0f}")


def _worst_db(case: Case, phase: str, folder: Path) -> float:
    import transformers

    from sttest.compile.compiler import compile_text
    from sttest.compile.options import CompileOptions
    from sttest.compile.reference_graph import value_graph
    from sttest.frontend.layers.asked import AskedLayer
    from sttest.frontend.layers.layer import captured_layer
    from sttest.frontend.module_source import ModuleSource
    from sttest.reference import memory_images, read_results, run

    config = getattr(transformers, case.model.partition(":")[0]).config_class(**case.config)
    path = folder / "config.json"
    path.write_text(config.to_json_string(use_diff=False))
    tokens, context = (TOKENS, 0) if phase == "prefill" else (1, TOKENS)
    asked = AskedLayer(f"transformers:{case.model}", str(path), phase, tokens, context, small=True)  # pyright: ignore[reportArgumentType]
    source = ModuleSource.of(*captured_layer(asked), name="layer", where=case.model)
    # Of layers with hundreds of kernels, a scan over tokens, each has a lane.
    options = CompileOptions(precision="fp32", overall_unroll=2**13)
    design = compile_text(source.text(), "layer", "u55c", options)
    graph = value_graph(design.module, "layer")
    tensors = source.parameters() | source.inputs()
    images = memory_images(graph, {key: value for key, value in tensors.items() if key in graph.argument})
    found = read_results(graph, run(graph, images).results)
    expected = source.run(source.inputs())
    assert found.keys() == expected.keys()
    return min(sqnr_db(true, found[key]) for key, true in expected.items())


def _cause(error: Any) -> str:
    """Code, cause and place of an error; paths without what differs from machine to machine."""
    told = f"{error.code}: {error.what}"
    where = re.sub(r"\S*/site-packages/(?:transformers/models/\w+/)?|\S*/(?=sttest/)", "", error.where or "")
    return " ".join(f"{told}; {where}".split())


def rows() -> list[Row]:
    """The rows that are kept."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def write(found: Iterable[Row]) -> None:
    order = {(case.family, phase): number for number, case in enumerate(CASES) for phase in case.phases}
    kept = sorted((row for row in found if row.key in order), key=lambda row: (order[row.key], row.phase != "prefill"))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([each.name for each in fields(Row)])
        writer.writerows(astuple(row) for row in kept)


def main(families: Sequence[str]) -> None:
    import transformers

    transformers.logging.set_verbosity_error()
    chosen = [case for case in CASES if not families or case.family in families]
    found = {row.key: row for row in rows()} if TABLE.is_file() else {}
    for case in chosen:
        for phase in case.phases:
            row = measured(case, phase)
            print(*astuple(row), sep=" | ", flush=True)
            found[row.key] = row
            write(found.values())


if __name__ == "__main__":
    main(sys.argv[1:])
