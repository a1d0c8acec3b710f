package main

// mostFiles is how many files and connections the process may have open: as many as there is memory for.
func mostFiles() int { return 1 << 30 }
