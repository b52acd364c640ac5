"""Jobs: long work in processes of its own, with progress in files."""
