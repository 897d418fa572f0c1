"""The discrete-event engine: real simulated time in SimPy, one process per process of the graph."""
