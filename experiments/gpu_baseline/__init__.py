"""Batch-1 latency and energy of the evaluated models on a CUDA GPU: ``python -m experiments.gpu_baseline``.

The measuring half (everything but ``report``) needs torch, transformers and, for energy,
nvidia-ml-py only, so that it runs on a bare GPU machine; ``report`` turns its rows into
results and docs where the rest of the project is installed.
"""
