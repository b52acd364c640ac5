"""μ-Argus and the improved μ-Argus."""
