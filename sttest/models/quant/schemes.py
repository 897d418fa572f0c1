"""The schemes that sttest has by name, as what an extension offers at the door ``schemes``."""

from dataclasses import replace

from sttest.models.quant.scheme import QuantScheme

# Point of departure: QServe's W4A8 g128 (Lin et al., arXiv 2405.04532); its per-channel form is the first option.
W4A8 = QuantScheme()
W4A8_CHANNEL = replace(W4A8, name="w4a8-channel", group=None)
W4A8_STATIC = replace(W4A8, name="w4a8-static", activations="static")
W4A8_POSITION = replace(W4A8, name="w4a8-position", value_scales="per-position")
# Finer groups and an int8 head: what perplexity asks for (docs/your-model/quality.md).
W4A8_G64 = replace(W4A8, name="w4a8-g64", group=64, lm_head="int8")
W4A8_G32 = replace(W4A8, name="w4a8-g32", group=32, lm_head="int8")
W8A8 = replace(W4A8, name="w8a8", weights="int8")
W8A8_STATIC = replace(W8A8, name="w8a8-static", activations="static")
W4A8KV4 = replace(W4A8, name="w4a8kv4", kv_bits=4)
W4A8BFP4 = replace(W4A8, name="w4a8bfp4", kv_bits=4, kv_scales="power-of-two")
W4A4KV4 = replace(W4A8, name="w4a4kv4", activation_bits=4, kv_bits=4)
W3A8 = replace(W4A8, name="w3a8", weights="int3")
W2A8 = replace(W4A8, name="w2a8", weights="int2")
TERNARY = replace(W4A8, name="ternary", weights="ternary")
TERNARY_3OF4 = replace(W4A8, name="ternary-3of4", weights="ternary-3:4")
W4A16 = replace(W4A8, name="w4a16", activations="none", activation_bits=16, kv_bits=16)
FP16 = QuantScheme("fp16", weights="fp16", group=None, activations="none", activation_bits=16, kv_bits=16)
FP32 = QuantScheme("fp32", weights="none", group=None, activations="none", kv_bits=32, lm_head="none")
