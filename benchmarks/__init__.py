"""Speed, measured as ratios in one run; `make bench` writes them to benchmarks/RESULTS.md."""
