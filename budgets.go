package vicinity

import (
	"fmt"
	"runtime"
	"sync"
	"weak"

	"vicinity/packer"
)

// budgetKey is what budgets of one World differ in.
type budgetKey struct{ bytes, reserve uint32 }

// sharedBudget is a checked budget, and how many connections have it.
type sharedBudget struct {
	*packer.Budget
	key   budgetKey
	users int
}

// takeBudget returns the budget of some bytes, nil for none.
func (w *World) takeBudget(bytes, reserve uint32) (*sharedBudget, error) {
	if bytes == 0 {
		if reserve != 0 {
			return nil, fmt.Errorf("%w: a reserve of %d without a budget", ErrBudget, reserve)
		}
		return nil, nil
	}
	if reserve == 0 {
		reserve = bytes / 2
	}
	if reserve < w.cfg.RemoveCost {
		return nil, fmt.Errorf("%w: a reserve of %d bytes for leaves of %d", ErrBudget, reserve, w.cfg.RemoveCost)
	}
	key := budgetKey{bytes, reserve}
	if b := w.budgets[key]; b != nil {
		b.users++
		return b, nil
	}
	b, err := budgets.get(&w.cfg, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBudget, err)
	}
	s := &sharedBudget{Budget: b, key: key, users: 1}
	if w.budgets == nil {
		w.budgets = make(map[budgetKey]*sharedBudget)
	}
	w.budgets[key] = s
	return s, nil
}

func (w *World) dropBudget(b *sharedBudget) {
	if b == nil {
		return
	}
	if b.users--; b.users == 0 {
		delete(w.budgets, b.key)
	}
}

// policy is everything that a budget is made of.
type policy struct {
	budgetKey
	classes      [packer.MaxClasses]packer.Class
	n            int
	starvedShare float64
	degrade      bool
}

// policies finds budgets that exist already: thousands of small Worlds have the same
// few, which nobody changes. It does not keep them alive.
type policies struct {
	mu    sync.Mutex
	known map[policy]weak.Pointer[packer.Budget]
}

var budgets policies

// get returns a budget, checked.
func (p *policies) get(cfg *Config, key budgetKey) (*packer.Budget, error) {
	of := policy{budgetKey: key, n: len(cfg.Classes), starvedShare: cfg.StarvedShare, degrade: cfg.Degrade}
	copy(of.classes[:], cfg.Classes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.known[of].Value(); b != nil {
		return b, nil
	}
	b, err := packer.NewBudget(cfg.limits(key.bytes, key.reserve))
	if err != nil {
		return nil, err
	}
	if p.known == nil {
		p.known = make(map[policy]weak.Pointer[packer.Budget])
	}
	p.known[of] = weak.Make(b)
	runtime.AddCleanup(b, p.forget, of)
	return b, nil
}

// forget drops a budget that nobody has any more, unless it was made anew meanwhile.
func (p *policies) forget(of policy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[of].Value() == nil {
		delete(p.known, of)
	}
}
