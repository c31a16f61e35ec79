package oracle_test

import (
	"fmt"

	"vicinity/internal/oracle"
)

// A member stays in view up to the leave radius; a stranger there does not enter.
func Example() {
	var r oracle.Relations
	look := []oracle.Observer{{ID: 1, Reach: []oracle.Reach{{Enter: 10, Margin: 2}}}}
	for _, x := range []int64{11, 9, 11, 13} {
		d := r.Update(look, []oracle.Entity{{ID: 2, X: x}})
		fmt.Println(x, len(d.Enter), len(d.Keep), len(d.Leave))
	}
	// Output:
	// 11 0 0 0
	// 9 1 0 0
	// 11 0 1 0
	// 13 0 0 1
}
