module vicinity/bench/compare

go 1.26.0

require (
	github.com/dgryski/go-pcgr v0.0.0-20211101192959-4b34ab9ccb8c
	github.com/tidwall/rtree v1.10.0
	vicinity v0.0.0
)

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/tidwall/geoindex v1.7.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace vicinity => ../../
