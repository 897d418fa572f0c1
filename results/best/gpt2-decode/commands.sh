sttest compile gpt2 --phase decode --context 256 --board u55c --task-tile attn_scores=1x64x64 --task-order '*_proj=0,1,2' --task-order 'mlp_fc?=0,1,2' --gemv-lanes 4096 --overall-unroll 1536 --vector-bits 512 --share all --layers 24 --head --lanes-from results/best/gpt2-decode --check-resources -o build/best/gpt2-decode
sttest simulate build/best/gpt2-decode --trace build/best/gpt2-decode.json
