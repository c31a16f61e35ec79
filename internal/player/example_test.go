package player_test

import (
	"context"
	"fmt"

	"vicinity/internal/bundled"
	"vicinity/internal/player"
)

// Playing a bundled trace.
func Example() {
	source, trace, err := bundled.Source("halite-match")
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := player.NewGrid(player.Config{
		Radius:  trace.Expected.EnterRadiusUnits,
		Margin:  trace.Expected.LeaveMarginUnits,
		Workers: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	report, err := player.Play(context.Background(), player.Job{Source: source, Engine: engine})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d ticks, %d enters, %d leaves, digest %016x\n",
		report.Ticks, report.Enters, report.Leaves, report.Digest)
	// Output: 400 ticks, 34832 enters, 34712 leaves, digest 79f5e8b830019157
}

// Playing it under a budget.
func ExampleNewWorld() {
	source, trace, err := bundled.Source("halite-match")
	if err != nil {
		fmt.Println(err)
		return
	}
	engine, err := player.NewWorld(player.Config{
		Radius: trace.Expected.EnterRadiusUnits,
		Margin: trace.Expected.LeaveMarginUnits,
		Budget: &player.Budget{Bytes: 200, Other: player.Price{Cost: 20}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	report, err := player.Play(context.Background(), player.Job{Source: source, Engine: engine})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := report.Packed
	fmt.Printf("%d deliveries of %d bytes at most, %d selected, oldest wait %d ticks\n",
		p.Deliveries, p.BytesMax, p.Selected, p.OldestWait)
	// Output: 33496 deliveries of 200 bytes at most, 204687 selected, oldest wait 7 ticks
}
