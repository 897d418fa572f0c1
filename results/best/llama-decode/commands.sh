sttest compile llama --phase decode --context 256 --board u55c --task-tile attn_scores=1x8x64x64 --gemv-lanes 2048 --overall-unroll 2048 --vector-bits 1024 --share all --layers 22 --head --lanes-from results/best/llama-decode --check-resources -o build/best/llama-decode
sttest simulate build/best/llama-decode --trace build/best/llama-decode.json
