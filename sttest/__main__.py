"""``python -m sttest``: the command line without its console script."""

from sttest.cli import main

main()
