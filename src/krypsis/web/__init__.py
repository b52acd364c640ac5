"""The web app: the whole journey in the browser, thin over the library."""
