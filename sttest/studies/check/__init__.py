"""``sttest check``: whatever holds a design is recognized, simulated and sized; waits have their lines."""
