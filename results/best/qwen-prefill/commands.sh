sttest compile qwen --phase prefill --tokens 256 --board u55c --overall-unroll 6144 --vector-bits 512 --share all --lanes-from results/best/qwen-prefill --check-resources -o build/best/qwen-prefill
sttest simulate build/best/qwen-prefill --trace build/best/qwen-prefill.json
