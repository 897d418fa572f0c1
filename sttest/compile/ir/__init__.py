"""Reading IR text: errors, names, walks, what a pass may rely on."""
