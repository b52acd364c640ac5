"""Benchmarks: one file per question, every figure as a multiple of U."""
