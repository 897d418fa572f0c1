"""What-if studies over board, model, precision, phase, lengths, options, launch (docs/what-if/shipped-studies.md)."""
