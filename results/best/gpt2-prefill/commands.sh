sttest compile gpt2 --phase prefill --tokens 256 --board u55c --overall-unroll 6144 --vector-bits 512 --share all --lanes-from results/best/gpt2-prefill --check-resources -o build/best/gpt2-prefill
sttest simulate build/best/gpt2-prefill --trace build/best/gpt2-prefill.json
