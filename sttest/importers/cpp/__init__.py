"""HLS C++ as timed graphs: compiled by clang, run as a Kahn network in a process of its own, laid out in stages."""
