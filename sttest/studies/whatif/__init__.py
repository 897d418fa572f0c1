"""What-if studies over board, model, precision, phase, lengths, knobs and launch (docs/what-if/shipped-studies.md)."""
