#error "direct I/O is read when it is read, not in order: no timed graph has it"
