"""What hardware is: boards as data with sources, operators, and the backends that run a design."""
