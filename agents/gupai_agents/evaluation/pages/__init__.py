"""Reports of tournaments and benchmarks in HTML, and their charts."""
