krypsis check examples/people.csv --sensitive-table examples/diseases.csv --group class --sensitive disease --promise frequency-l-diversity:l=2
