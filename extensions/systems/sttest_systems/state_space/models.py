"""Models of state-space blocks that are known by name."""

from dataclasses import replace

from sttest.models.config import DecoderConfig


def _card(size: str) -> str:
    return f"Hugging Face state-spaces/mamba2-{size} config.json"


MAMBA2 = DecoderConfig(
    name="mamba2",
    public_name="Mamba2-130M",
    family="mamba2",
    layers=24,
    hidden=768,
    ffn=0,
    heads=24,
    kv_heads=1,
    head_dim=64,
    state=128,
    conv_kernel=4,
    vocab=50288,
    max_context=2**20,
    activation="silu",
    norm="rmsnorm",
    eps=1e-5,
    gated=False,
    source=(
        f"{_card('130m')}; d_state 128, headdim 64, expand 2, d_conv 4, ngroups 1 are defaults of "
        "mamba_ssm's Mamba2, 50277 tokens padded to a multiple of 16"
    ),
)
MAMBA2_370M = replace(
    MAMBA2, name="mamba2-370m", public_name="Mamba2-370M", layers=48, hidden=1024, heads=32, source=_card("370m")
)
MAMBA2_1_3B = replace(
    MAMBA2, name="mamba2-1.3b", public_name="Mamba2-1.3B", layers=48, hidden=2048, heads=64, source=_card("1.3b")
)
