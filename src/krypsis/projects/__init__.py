"""Projects: the data of one person on the way from a file to a release, each in its own folder."""
