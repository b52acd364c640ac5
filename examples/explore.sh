# demo/ is the folder that `krypsis demo` has made.
krypsis explore demo/plan.yaml --table nodes.csv                   # judge every node; write demo/explore.html
krypsis run demo/plan.yaml --levels 3,0,5,1,3,3 --output chosen/   # publish the one you have chosen
