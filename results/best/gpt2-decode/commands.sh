sttest compile gpt2 --phase decode --context 256 --board u55c --task-tile attn_scores=1x64x64 --gemv-lanes 2048 --overall-unroll 1152 --vector-bits 1024 --share all --layers 24 --head --lanes-from results/best/gpt2-decode --check-resources -o build/best/gpt2-decode
sttest simulate build/best/gpt2-decode --trace build/best/gpt2-decode.json
