python examples/first_release.py           # the program below; it writes hospital-release/
