"""The verbs of the command line, one file each; `sttest.cli` only names their options."""
