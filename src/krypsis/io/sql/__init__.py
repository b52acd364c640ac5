"""One SQL text for every database; what differs between them is :class:`krypsis.io.sql.database.SqlDatabase`."""
