"""Perturbation: values are replaced by others so that statistics change little."""
