"""What a linalg op computes, over which loops, and how one is built."""
