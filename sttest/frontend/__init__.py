"""PyTorch to linalg text, and texts that are shipped.  Only this room and `models` import torch."""
