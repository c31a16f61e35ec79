module vicinity/tools

go 1.26.0

require (
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/spf13/cobra v1.10.2
	golang.org/x/term v0.44.0
	vicinity v0.0.0
)

replace vicinity => ../
