"""Methods that blank cells of a table so that no secret cell follows from the rest."""
