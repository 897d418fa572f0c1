"""One layer of a model that is written in PyTorch, a class of transformers or one's own, as a module to compile."""
