"""Personalized privacy: sensitive values published more generally."""
