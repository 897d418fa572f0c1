"""Cascade pruning (SpAtten): what a step of pruned attention reads, and how long it takes on a card."""
