sttest compile gemma --phase decode --context 256 --board u55c --task-tile attn_scores=4x64x64 --task-order '*_proj=0,1,2' --gemv-lanes 4096 --overall-unroll 2048 --vector-bits 512 --share all --lanes-from results/best/gemma-decode --check-resources -o build/best/gemma-decode
sttest simulate build/best/gemma-decode --trace build/best/gemma-decode.json
