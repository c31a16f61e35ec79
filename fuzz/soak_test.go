package fuzz

import (
	"encoding/binary"
	"flag"
	"testing"

	"vicinity/asm"
)

var soakFlag = flag.Int("soak", 0, "worlds that TestSoak plays, of either kind")

// TestSoak is as much more of FuzzMoves and FuzzWorld as one asks for: whole worlds,
// those of FuzzWorld on every tier. Different seeds give different worlds:
// go test -run TestSoak -soak 10000 -seed 7.
func TestSoak(t *testing.T) {
	if *soakFlag == 0 {
		t.Skip("no -soak")
	}
	before := asm.Tier()
	defer asm.SetTier(before)
	t.Logf("-seed=%d", *seedFlag)
	s := &script{state: uint64(*seedFlag)}
	var sum counts
	views := 0
	for i := range *soakFlag {
		sum.add(playMoves(t, &script{state: s.next()}, 300))
		b := binary.LittleEndian.AppendUint64(nil, s.next())
		first := ""
		for _, tier := range asm.Levels() {
			if err := asm.SetTier(tier); err != nil {
				t.Fatal(err)
			}
			history := play(t, b, 1+i%2, 30)
			if first == "" {
				first = history
			}
			if history != first {
				t.Fatalf("world %d, %v: another history than %v", i, tier, asm.Levels()[0])
			}
			views++
		}
	}
	t.Logf("%d worlds of FuzzMoves: %+v; %d of FuzzWorld, 30 ticks each", *soakFlag, sum, views)
}
