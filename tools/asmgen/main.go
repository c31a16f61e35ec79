// Command asmgen writes the amd64 kernels of package asm. Each run writes one
// file:
//
//	go run . -kernel within -out ../../asm/within_amd64.s
//
// The Go declarations stand beside the kernels, in asm/stubs_amd64.go; go vet
// compares the two. The layout of the structs that the kernels read is in
// layout.go, and a test of package asm holds it.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
)

var kernels = map[string]func(){
	"within":    within,
	"crossing":  crossing,
	"cellindex": cellIndex,
	"quantise":  quantise,
	"scatter":   scatter,
	"find":      find,
	"far":       far,
	"extent":    extent,
	"prefetch":  prefetch,
	"select":    selection,
	"measure":   measure,
	"scan":      scan,
}

func main() {
	names := slices.Sorted(maps.Keys(kernels))
	name := flag.String("kernel", "", "kernel family to generate: "+strings.Join(names, ", "))
	flag.Parse()
	emit := kernels[*name]
	if emit == nil {
		fmt.Fprintf(os.Stderr, "asmgen: unknown -kernel %q\n", *name)
		os.Exit(2)
	}
	ConstraintExpr("!purego,!race")
	emit()
	Generate()
}
