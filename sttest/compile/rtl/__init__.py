"""Designs as SystemVerilog."""
