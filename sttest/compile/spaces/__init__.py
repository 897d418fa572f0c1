"""Design spaces: plain functions from a small graph of facts to decisions, without IR."""
