# demo/ is the folder that `krypsis demo` has made; more.csv holds the rows that came since.
krypsis apply demo/release/ more.csv --output more/                          # the new rows by themselves
krypsis apply demo/release/ more.csv --output all/ --with demo/release/      # one table with the earlier records
