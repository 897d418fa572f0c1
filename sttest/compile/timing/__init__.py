"""From nodes to the timed graph: intervals, latencies, programs of processes."""
