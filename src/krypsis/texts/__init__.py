"""Texts for people and terminals, whatever they are about."""
