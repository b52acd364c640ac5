"""Groups formed record by record: clustering, top-down and bottom-up."""
