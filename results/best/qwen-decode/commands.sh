sttest compile qwen --phase decode --context 256 --board u55c --task-tile attn_scores=1x7x64x64 --task-order '*_proj=0,1,2' --gemv-lanes 4096 --overall-unroll 3072 --vector-bits 512 --share all --layers 24 --head --lanes-from results/best/qwen-decode --check-resources -o build/best/qwen-decode
sttest simulate build/best/qwen-decode --trace build/best/qwen-decode.json
