"""XRT's Python binding as a contract, and a strict double that holds host programs to it without a card."""
