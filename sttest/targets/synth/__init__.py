"""Area and logic depth of SystemVerilog by yosys, for UltraScale+."""
