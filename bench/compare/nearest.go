package main

import "fmt"

// nearestCase is one measurement of nearest neighbours. Queries are at the positions
// of entities, so that everybody finds itself first, and none has a limit of distance.
type nearestCase struct {
	k       int
	order   Order
	queries int // about how many
}

func (c *nearestCase) name(s *Scene) string { return fmt.Sprintf("%s/%s/k=%d", s.Name, c.order, c.k) }

// nearestCases are all that is measured of n entities. Where an answer is long, fewer
// ask.
func nearestCases(n int) (cases []nearestCase) {
	for _, order := range []Order{InStorage, AtRandom} {
		cases = append(cases,
			nearestCase{k: 1, order: order, queries: n},
			nearestCase{k: 16, order: order, queries: max(n/2, 1)},
			nearestCase{k: 256, order: order, queries: max(n/12, 1)},
		)
	}
	return cases
}
