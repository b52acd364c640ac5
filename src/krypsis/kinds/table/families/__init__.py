"""The families of methods that make releases of tables, each with its own form of publication."""
