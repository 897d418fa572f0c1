"""``sttest check``: whatever holds a design is recognized, simulated and sized, with the places of waits and the fix."""
