"""k^m-anonymity: items generalized or left out."""
