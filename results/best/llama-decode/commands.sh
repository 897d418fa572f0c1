sttest compile llama --phase decode --context 256 --board u55c --task-tile attn_scores=1x8x64x64 --task-order '*_proj=0,1,2' --gemv-lanes 4096 --overall-unroll 3072 --vector-bits 512 --share all --layers 22 --head --lanes-from results/best/llama-decode --check-resources -o build/best/llama-decode
sttest simulate build/best/llama-decode --trace build/best/llama-decode.json
