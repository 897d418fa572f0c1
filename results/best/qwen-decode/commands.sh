sttest compile qwen --phase decode --context 256 --board u55c --task-tile attn_scores=1x7x64x64 --gemv-lanes 2048 --overall-unroll 2048 --vector-bits 1024 --share all --layers 24 --head --lanes-from results/best/qwen-decode --check-resources -o build/best/qwen-decode
sttest simulate build/best/qwen-decode --trace build/best/qwen-decode.json
