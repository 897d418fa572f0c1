"""What-if studies: axes over board, model, precision, phase, lengths, knobs and launch (docs/explanation/whatif.md)."""
