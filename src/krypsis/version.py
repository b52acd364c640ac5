"""The version of the tool; the package metadata is read from here."""

__version__ = "0.1.0"
