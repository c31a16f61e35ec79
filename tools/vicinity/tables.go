package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"vicinity/internal/player"
)

// standard is the built-in price of each kind in the traces that a manifest
// describes: what an update of it takes with its header when positions are sent
// quantised, and how much a player would miss it. What moves costs more than
// what stands, and buildings carry the most state.
var standard = map[string]player.Price{
	// crowd-corridor, crowd-bottleneck
	"pedestrian": {Cost: 20, Priority: 100},
	// city-bologna, region-hersfeld
	"car": {Cost: 24, Priority: 100},
	"bus": {Cost: 28, Priority: 120},
	// sea-denmark
	"class A ship":               {Cost: 28, Priority: 120},
	"class B ship":               {Cost: 24, Priority: 100},
	"base station (never moves)": {Cost: 16, Priority: 20},
	// rts-match
	"worker":        {Cost: 28, Priority: 120},
	"infantry":      {Cost: 28, Priority: 200},
	"cavalry":       {Cost: 30, Priority: 200},
	"other unit":    {Cost: 28, Priority: 150},
	"building":      {Cost: 40, Priority: 100},
	"building site": {Cost: 32, Priority: 80},
	"animal":        {Cost: 20, Priority: 60},
	"resource":      {Cost: 16, Priority: 20},
	// halite-match
	"ship":     {Cost: 20, Priority: 120},
	"shipyard": {Cost: 24, Priority: 60},
}

// plainPrice is the price of a kind that nobody named.
var plainPrice = player.Price{Cost: 24, Priority: 100}

// standardText lists the built-in prices in lines of help.
func standardText() string {
	var b strings.Builder
	width := 0
	entry := func(text string) {
		if width+len(text) > 78 {
			b.WriteByte('\n')
			width = 0
		}
		if width == 0 {
			text = " " + text
		}
		width += len(text)
		b.WriteString(text)
	}
	for _, kind := range slices.Sorted(maps.Keys(standard)) {
		entry(fmt.Sprintf(" %s %d/%d,", kind, standard[kind].Cost, standard[kind].Priority))
	}
	entry(fmt.Sprintf(" others %d/%d.", plainPrice.Cost, plainPrice.Priority))
	b.WriteByte('\n')
	return b.String()
}

// kinds are the kinds of entities of a trace: number i is names[i], and a number
// beyond has no name.
type kinds struct {
	names []string
	max   int32 // largest number that the trace has
}

// find returns the number of a kind, named by its name or its number.
func (k *kinds) find(text string) (int32, error) {
	for i, name := range k.names {
		if name == text {
			return int32(i), nil
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || n > int64(max(k.max, int32(len(k.names)-1))) {
		return 0, fmt.Errorf("no kind %q, there is %s", text, k)
	}
	return int32(n), nil
}

// String lists the kinds.
func (k *kinds) String() string {
	if len(k.names) > 0 {
		return strings.Join(k.names, ", ")
	}
	return fmt.Sprintf("0 to %d", k.max)
}

// prices returns the built-in prices of those of the trace's kinds that have one.
func (k *kinds) prices() map[int32]player.Price {
	table := make(map[int32]player.Price)
	for i, name := range k.names {
		if p, ok := standard[name]; ok {
			table[int32(i)] = p
		}
	}
	return table
}

// parseTable reads "kind=number,kind=number" and calls set for each. A kind may
// come once; the numbers are least to most.
func (k *kinds) parseTable(text string, least, most int64, set func(kind int32, n int64)) error {
	seen := make(map[int32]bool)
	for _, entry := range strings.Split(text, ",") {
		entry = strings.TrimSpace(entry)
		at := strings.LastIndexByte(entry, '=')
		if at < 0 {
			return fmt.Errorf("%q is not kind=number", entry)
		}
		kind, err := k.find(strings.TrimSpace(entry[:at]))
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(entry[at+1:]), 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("%q: want a whole number, %d to %d", entry, least, most)
		}
		if seen[kind] {
			return fmt.Errorf("%q: the kind comes twice", entry)
		}
		seen[kind] = true
		set(kind, n)
	}
	return nil
}

// maxBudget is the largest budget and the largest cost, in bytes.
const maxBudget = 1 << 30

// parseBudget returns the budget that the flags ask for, nil for none.
func (f *replayFlags) parseBudget(k *kinds) (*player.Budget, error) {
	if !f.changed("budget") {
		for _, flag := range []string{"cost-table", "priority-table", "max-silence"} {
			if f.changed(flag) {
				return nil, fmt.Errorf("--%s says nothing without --budget", flag)
			}
		}
		return nil, nil
	}
	if f.budget < player.MinBudget || f.budget > maxBudget {
		return nil, fmt.Errorf("--budget is %d, want %d to %d bytes", f.budget, player.MinBudget, maxBudget)
	}
	if f.maxSilence < 0 || f.maxSilence > math.MaxInt32 {
		return nil, fmt.Errorf("--max-silence is %d, want 0 to %d ticks", f.maxSilence, math.MaxInt32)
	}
	b := &player.Budget{
		Bytes: uint32(f.budget), MaxSilence: uint32(f.maxSilence),
		Kinds: k.prices(), Other: plainPrice,
	}
	if f.changed("cost-table") {
		err := k.parseTable(f.costTable, 1, maxBudget, func(kind int32, n int64) {
			p := b.Price(kind)
			p.Cost = uint32(n)
			b.Kinds[kind] = p
		})
		if err != nil {
			return nil, fmt.Errorf("--cost-table: %w", err)
		}
	}
	if f.changed("priority-table") {
		err := k.parseTable(f.priorityTable, 0, math.MaxUint16, func(kind int32, n int64) {
			p := b.Price(kind)
			p.Priority = uint16(n)
			b.Kinds[kind] = p
		})
		if err != nil {
			return nil, fmt.Errorf("--priority-table: %w", err)
		}
	}
	return b, nil
}
