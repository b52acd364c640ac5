"""The steps of disassociation: form clusters, cut their records into pieces, join clusters, publish."""
