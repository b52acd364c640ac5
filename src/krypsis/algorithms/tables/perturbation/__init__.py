"""Perturbation: values replaced by others."""
