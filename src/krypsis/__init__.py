"""Krypsis makes personal data safe to publish."""
