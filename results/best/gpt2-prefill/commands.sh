sttest compile gpt2 --phase prefill --tokens 256 --board u55c --tile 32 --overall-unroll 10240 --first-lanes 8 --vector-bits 512 --share all --own-engine 'attn_[kv]_proj*+mlp_fc2*' --lanes-from results/best/gpt2-prefill --check-resources -o build/best/gpt2-prefill
sttest simulate build/best/gpt2-prefill --trace build/best/gpt2-prefill.json
