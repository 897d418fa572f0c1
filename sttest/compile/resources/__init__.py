"""What a compiled design takes of its board, process by process."""
