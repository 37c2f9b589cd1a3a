"""One file an explorer: read the controls, compute, show."""
