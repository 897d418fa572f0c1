"""Reads C++ for Vitis HLS, and the reports of its synthesis."""
