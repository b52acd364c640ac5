"""Tables whose cells follow from others by rules."""
