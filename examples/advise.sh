krypsis advise demo/plan.yaml --answers n,,,,,n,,n,y,n,,,,n,n,n, --no-write
