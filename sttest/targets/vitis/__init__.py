"""From a design package's C++ to a linked design, by Vitis: connections to memory, steps, and what runs them."""
