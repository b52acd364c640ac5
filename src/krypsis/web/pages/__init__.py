"""The pages of the web app, each in its own file."""
