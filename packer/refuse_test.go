package packer

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestValidationLeavesNoTrace(t *testing.T) {
	bad := map[string]func(*Candidates){
		"entity 102: Cost[0] 0":  func(c *Candidates) { c.Cost[0][2] = 0 },
		"entity 102: Dist2 NaN":  func(c *Candidates) { c.Dist2[2] = float32(math.NaN()) },
		"entity 102: Dist2 -1":   func(c *Candidates) { c.Dist2[2] = -1 },
		"entity 102: Dist2 -Inf": func(c *Candidates) { c.Dist2[2] = float32(math.Inf(-1)) },
		"entity 102: Dist2 -1.4": func(c *Candidates) { c.Dist2[2] = -math.SmallestNonzeroFloat32 },
		"entity 102: Class 2":    func(c *Candidates) { c.Class[2] = 2 },
		"entity 102: Level 3":    func(c *Candidates) { c.Level[2] = 3 },
		"entity 102: Flags 3":    func(c *Candidates) { c.Flags[2] = Remove | Spawn },
		"entity 102: Flags 32":   func(c *Candidates) { c.Flags[2] = 32 },
		"entity 101: Cost[0] 0":  func(c *Candidates) { c.Cost[0][1], c.Cost[0][2] = 0, 0 },
		"ID has 3":               func(c *Candidates) { c.ID = c.ID[:3] },
		"Cost[0] has 0":          func(c *Candidates) { c.Cost[0] = nil },
		"Priority has 3":         func(c *Candidates) { c.Priority = make([]uint16, 3) },
		"Dist2 has 3":            func(c *Candidates) { c.Dist2 = c.Dist2[:3] },
		"Cost[1] has 3":          func(c *Candidates) { c.Cost[1] = make([]uint32, 3) },
		"Cost[2] has 3":          func(c *Candidates) { c.Cost[2] = make([]uint32, 3) },
		"Class has 3":            func(c *Candidates) { c.Class = c.Class[:3] },
		"Flags has 3":            func(c *Candidates) { c.Flags = c.Flags[:3] },
		"Waited has 3":           func(c *Candidates) { c.Waited = make([]uint32, 3) },
		"Silent has 3":           func(c *Candidates) { c.Silent = make([]uint32, 3) },
		"Level has 3":            func(c *Candidates) { c.Level = c.Level[:3] },
		"Group has 3":            func(c *Candidates) { c.Group = make([]uint32, 3) },
		"Row has 3":              func(c *Candidates) { c.Row = make([]uint32, 3) },
	}
	b := mustBudget(t, Limits{Bytes: 100, Classes: make([]Class, 2)})
	for message, spoil := range bad {
		c := byOrder(10, 20, 30, 40)
		c.Class, c.Level, c.Flags = make([]uint8, 4), make([]uint8, 4), make([]Flags, 4)
		plan := &Plan{WantDeferred: true}
		var p Packer
		if err := p.Pack(plan, c, mustBudget(t, Limits{Bytes: 60, Classes: make([]Class, 2)})); err != nil {
			t.Fatal(err)
		}
		before := *plan
		selected, deferred := slices.Clone(plan.Selected), slices.Clone(plan.Deferred)
		spoil(c)
		err := p.Pack(plan, c, b)
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: error %v", message, err)
		}
		if strings.HasPrefix(message, "entity") != errors.Is(err, ErrCandidate) || errors.Is(err, ErrCandidate) == errors.Is(err, ErrColumns) {
			t.Errorf("%s: wraps the wrong error", message)
		}
		if e := (*CandidateError)(nil); errors.As(err, &e) && c.ID[e.Index] != e.ID {
			t.Errorf("%s: %+v", message, e)
		}
		if !slices.Equal(plan.Selected, selected) || !slices.Equal(plan.Deferred, deferred) ||
			plan.Used != before.Used || plan.ByWhy != before.ByWhy || plan.Candidates != before.Candidates || plan.Budget != 60 {
			t.Errorf("%s: the plan changed: %+v", message, plan)
		}
	}
}

func TestPackRefusesBudgetAndStretch(t *testing.T) {
	var plan Plan
	for _, b := range []*Budget{nil, {}} {
		if err := new(Packer).Pack(&plan, byOrder(1), b); !errors.Is(err, ErrBudget) {
			t.Errorf("budget %v: %v", b, err)
		}
	}
	b := mustBudget(t, Limits{Bytes: 1})
	for _, s := range []float64{-1, 0.5, math.NaN(), math.Inf(1)} {
		p := Packer{Stretch: s}
		if err := p.Pack(&plan, byOrder(1), b); !errors.Is(err, ErrBudget) {
			t.Errorf("stretch %v: %v", s, err)
		}
	}
	c := &Candidates{ID: make([]uint64, MaxCandidates+1)}
	c.Cost[0] = slices.Repeat([]uint32{1}, MaxCandidates+1)
	if err := new(Packer).Pack(&plan, c, b); !errors.Is(err, ErrColumns) {
		t.Errorf("too many: %v", err)
	}
}

func TestNewBudgetRefuses(t *testing.T) {
	for message, l := range map[string]Limits{
		"Bytes is 0":              {},
		"Reserve 11":              {Bytes: 10, Reserve: 11},
		"17 Classes":              {Bytes: 1, Classes: make([]Class, 17)},
		"StarvedShare -0.1":       {Bytes: 1, StarvedShare: -0.1},
		"StarvedShare 1.1":        {Bytes: 1, StarvedShare: 1.1},
		"StarvedShare NaN":        {Bytes: 1, StarvedShare: math.NaN()},
		"StarvedShare 1e-20":      {Bytes: 1, StarvedShare: 1e-20},
		"class 1: Share -1":       {Bytes: 1, Classes: []Class{{}, {Share: -1}}},
		"class 0: Share NaN":      {Bytes: 1, Classes: []Class{{Share: math.NaN()}}},
		"class 0: Share +Inf":     {Bytes: 1, Classes: []Class{{Share: math.Inf(1)}}},
		"class 1: Share 0.4":      {Bytes: 1, Classes: []Class{{Share: 0.3}, {Share: 0.4}}},
		"class 0: Share 0.500001": {Bytes: 1, StarvedShare: 0.5, Classes: []Class{{Share: 0.500001}}},
	} {
		if _, err := NewBudget(l); !errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", message, err)
		}
	}
	b := mustBudget(t, Limits{Bytes: 10, Reserve: 10, Classes: []Class{{Share: 1.0 / 3}, {Share: 1.0 / 3}}})
	if b.Bytes() != 10 || b.Reserve() != 10 || b.Classes() != 2 {
		t.Errorf("%d, %d, %d", b.Bytes(), b.Reserve(), b.Classes())
	}
}
