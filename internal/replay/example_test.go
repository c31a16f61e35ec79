package replay_test

import (
	"fmt"
	"io"
	"strings"

	"vicinity/internal/replay"
)

// Reading a trace tick by tick.
func Example() {
	trace := replay.Header + "\n" +
		"0,0,10,20,0,-1\n" +
		"0,1,30,40,0,-1\n" +
		"1,1,31,41,0,-1\n"
	r, err := replay.NewReader(strings.NewReader(trace), "walk.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	var tick replay.Tick
	for {
		err := r.Next(&tick)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(tick.Number, tick.ID, tick.X, tick.Y)
	}
	// Output:
	// 0 [0 1] [10 30] [20 40]
	// 1 [1] [31] [41]
}

// What is wrong with a trace is one line.
func ExampleRowError() {
	trace := replay.Header + "\n" + "0,0,10,20,0,-1\n" + "1,0,10,2o,0,-1\n"
	_, err := replay.Scan(replay.Bytes("walk.csv", []byte(trace)))
	fmt.Println(err)
	// Output: walk.csv: line 3, column 8: y "2o" is not an integer
}
