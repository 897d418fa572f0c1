"""XRT's Python binding as a contract, and a strict emulator that holds host programs to it without a card."""
