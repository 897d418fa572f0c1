"""NanoFlow: a batch in parts beside each other, so that one reads while another computes."""
