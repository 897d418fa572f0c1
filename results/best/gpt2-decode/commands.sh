sttest compile gpt2 --phase decode --context 256 --board u55c --gemv-lanes 2048 --overall-unroll 1024 --vector-bits 1024 --share all --layers 24 --head --lanes-from results/best/gpt2-decode --check-resources -o build/best/gpt2-decode
sttest simulate build/best/gpt2-decode --trace build/best/gpt2-decode.json
