"""What-if studies over board, model, precision, phase, lengths, options and launch (docs/what-if/shipped-studies.md)."""
