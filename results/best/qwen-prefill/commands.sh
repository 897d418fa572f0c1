sttest compile qwen --phase prefill --tokens 256 --board u55c --tile 32 --overall-unroll 9216 --first-lanes 8 --vector-bits 512 --share all --own-unit 'attn_[kv]_proj*+mlp_down*' --budget published --lanes-from results/best/qwen-prefill --check-resources -o build/best/qwen-prefill
sttest simulate build/best/qwen-prefill --trace build/best/qwen-prefill.json
