package arena

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/dgryski/go-pcgr"
)

var seedFlag = flag.Int64("seed", 0, "seed of the random operations; 0 takes the time")

// model is an arena made of maps and slices, in the plainest way: it predicts
// every result, the handles included.
type model struct {
	capacity   int
	generation uint64 // how many generations there are; one more wraps
	deferred   bool

	uses     map[uint32]uint64 // per slot handed out: generation now, even between uses
	alive    map[Handle]bool
	ever     map[Handle]bool
	reusable []uint32 // the next one last
	waiting  []freed
	sealed   uint64
}

// freed is a slot that waits, and the batch it was freed in.
type freed struct {
	slot  uint32
	batch uint64
}

func newModel(cfg Config, bits int) *model {
	m := &model{
		capacity: cfg.Capacity, generation: 1 << bits, deferred: cfg.Deferred,
		uses: map[uint32]uint64{}, alive: map[Handle]bool{}, ever: map[Handle]bool{},
	}
	if m.capacity == 0 {
		m.capacity = math.MaxInt32 // out of reach
	}
	return m
}

func (m *model) retired() (n int) {
	for _, g := range m.uses {
		if g == m.generation {
			n++
		}
	}
	return n
}

func (m *model) alloc() (Handle, error) {
	var slot uint32
	switch {
	case len(m.reusable) > 0:
		slot = m.reusable[len(m.reusable)-1]
		m.reusable = m.reusable[:len(m.reusable)-1]
	case len(m.uses) < m.capacity:
		slot = uint32(len(m.uses))
	case m.retired() == m.capacity:
		return 0, ErrExhausted
	default:
		return 0, ErrFull
	}
	m.uses[slot]++
	h := MakeHandle(slot, uint32(m.uses[slot]))
	m.alive[h], m.ever[h] = true, true
	return h, nil
}

func (m *model) free(h Handle) bool {
	if !m.alive[h] {
		return false
	}
	delete(m.alive, h)
	slot := h.Slot()
	m.uses[slot]++
	switch {
	case m.uses[slot] == m.generation: // retired
	case m.deferred:
		m.waiting = append(m.waiting, freed{slot, m.sealed + 1})
	default:
		m.reusable = append(m.reusable, slot)
	}
	return true
}

// bySlot returns what is alive in order of slots.
func (m *model) bySlot() []Handle {
	return slices.SortedFunc(maps.Keys(m.alive), func(x, y Handle) int { return int(x.Slot()) - int(y.Slot()) })
}

func (m *model) clear() {
	for _, h := range m.bySlot() {
		m.free(h)
	}
	if !m.deferred {
		slices.SortFunc(m.reusable, func(x, y uint32) int { return int(y) - int(x) })
	}
}

func (m *model) reclaim(batch uint64) int {
	n := 0
	for n < len(m.waiting) && m.waiting[n].batch <= min(batch, m.sealed) {
		n++
	}
	for _, f := range slices.Backward(m.waiting[:n]) {
		m.reusable = append(m.reusable, f.slot)
	}
	m.waiting = m.waiting[n:]
	return n
}

// pair is an arena beside its model, with columns that remember who wrote them.
type pair struct {
	t       *testing.T
	a       *Arena
	m       *model
	memory  Memory
	columns []*Column[Handle]
	old     []Handle // every handle there ever was
	step    int
}

func newPair(t *testing.T, cfg Config, bits int) *pair {
	a, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a.last = 1<<bits - 1
	p := &pair{t: t, a: a, m: newModel(cfg, bits), memory: cfg.Memory}
	p.addColumn()
	return p
}

// addColumn makes a column that holds the handle of each alive slot.
func (p *pair) addColumn() {
	c, err := NewColumn[Handle](p.a, p.memory)
	if err != nil {
		p.t.Fatal(err)
	}
	for h := range p.m.alive {
		c.Slice()[h.Slot()] = h
	}
	p.columns = append(p.columns, c)
}

// do performs one operation on both sides and compares.
func (p *pair) do(op byte, arg uint32) {
	p.step++
	switch op % 16 {
	case 0, 1, 2, 3, 4, 5:
		p.alloc()
	case 6, 7, 8, 9, 10:
		if len(p.old) > 0 {
			// Mostly something recent, which is likelier to be alive.
			back := int(arg % uint32(min(len(p.old), 40)))
			p.free(p.old[len(p.old)-1-back])
		}
	case 11:
		if len(p.old) > 0 {
			p.free(p.old[arg%uint32(len(p.old))])
		}
	case 12:
		p.free(MakeHandle(arg%40, arg>>8%40)) // a guess
	case 13:
		p.m.sealed++
		p.equal("Seal", p.a.Seal(), p.m.sealed)
	case 14:
		batch := p.m.sealed - uint64(arg%4) // wraps if there are few: all of them
		p.equal("Reclaim", p.a.Reclaim(batch), p.m.reclaim(batch))
	case 15:
		p.rare(arg)
	}
	p.compare()
}

// rare are the operations that would spoil a run if they came often.
func (p *pair) rare(arg uint32) {
	switch arg % 64 {
	case 0:
		p.a.Clear()
		p.m.clear()
	case 1:
		var got []Handle
		p.a.Drain(func(h Handle) { got = append(got, h) })
		if want := p.m.bySlot(); !slices.Equal(got, want) {
			p.t.Fatalf("step %d: drained %v; want %v", p.step, got, want)
		}
		p.m.clear()
	case 2:
		if len(p.columns) < 4 {
			p.addColumn()
		} else {
			p.columns[0].Free()
			p.columns = p.columns[1:]
		}
	}
}

func (p *pair) alloc() {
	known := len(p.m.ever)
	h, err := p.a.Alloc()
	want, wantErr := p.m.alloc()
	if h != want || !errors.Is(err, wantErr) {
		p.t.Fatalf("step %d: Alloc = %v, %v; want %v, %v", p.step, h, err, want, wantErr)
	}
	if err != nil {
		return
	}
	if len(p.m.ever) == known {
		p.t.Fatalf("step %d: %v was handed out before", p.step, h)
	}
	p.old = append(p.old, h)
	for _, c := range p.columns {
		c.Slice()[h.Slot()] = h
	}
}

func (p *pair) free(h Handle) {
	p.equal("Alive", p.a.Alive(h), p.m.alive[h])
	p.equal("Free", p.a.Free(h), p.m.free(h))
	p.equal("Alive after Free", p.a.Alive(h), false)
}

func (p *pair) equal(what string, got, want any) {
	p.t.Helper()
	if got != want {
		p.t.Fatalf("step %d: %s = %v; want %v", p.step, what, got, want)
	}
}

// compare checks the counts after every step, and everything after every step
// of a small arena, now and then of a big one.
func (p *pair) compare() {
	p.t.Helper()
	p.equal("Len", p.a.Len(), len(p.m.alive))
	p.equal("Slots", p.a.Slots(), len(p.m.uses))
	if p.a.Slots() > 100 && p.step%97 != 0 {
		return
	}
	s := p.a.Stats()
	p.equal("Waiting", s.Waiting, len(p.m.waiting))
	p.equal("Retired", s.Retired, p.m.retired())
	if err := p.a.CheckInvariants(); err != nil {
		p.t.Fatalf("step %d: %v", p.step, err)
	}
	for _, h := range p.old[max(0, len(p.old)-100):] {
		p.equal(h.String(), p.a.Alive(h), p.m.alive[h])
	}
	for _, c := range p.columns {
		for h := range p.m.alive {
			p.equal("element", c.Slice()[h.Slot()], h)
		}
		checkSlack(p.t, c, p.a)
	}
}

// close ends the run.
func (p *pair) close(mappedBefore int64) {
	if err := p.a.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.equal("MappedBytes", MappedBytes(), mappedBefore)
}

// Random operations beside the model: either memory, deferred or not, 16 slots
// to 2^31, 4 bits of generation to 32, all by the same code.
func TestRandom(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("-seed %d", seed)
	steps := 6_000
	if testing.Short() || raceEnabled {
		steps = 1_000
	}
	both(t, func(t *testing.T, m Memory) {
		for _, deferred := range []bool{false, true} {
			for _, capacity := range []int{1, 16, 1000, maxSlots} {
				for _, bits := range []int{2, 4, 32} {
					name := fmt.Sprintf("deferred=%v/capacity=%d/bits=%d", deferred, capacity, bits)
					t.Run(name, func(t *testing.T) {
						before := MappedBytes()
						rand := pcgr.New(seed, int64(capacity))
						p := newPair(t, Config{Capacity: capacity, Memory: m, Deferred: deferred}, bits)
						for range steps {
							p.do(byte(rand.Next()>>24), rand.Next())
						}
						p.close(before)
					})
				}
			}
		}
	})
}

// FuzzArena reads a configuration and operations from bytes: capacity, flags,
// then two bytes an operation.
func FuzzArena(f *testing.F) {
	f.Add([]byte{16, 0, 0, 0, 0, 0, 6, 0, 6, 1, 0, 0})
	f.Add([]byte{1, 0x0c, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 6, 0})
	f.Add([]byte{2, 0x0e, 0, 0, 0, 0, 6, 0, 13, 0, 6, 1, 14, 0, 0, 0, 15, 0, 13, 0, 14, 0, 0, 0})
	f.Add([]byte{0, 3, 0, 0, 15, 2, 0, 0, 15, 1, 15, 0, 13, 0, 14, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		before := MappedBytes()
		flags := data[1]
		p := newPair(t, Config{
			Capacity: int(data[0]),
			Memory:   Memory(flags & 1),
			Deferred: flags&2 != 0,
		}, []int{32, 4, 3, 2}[flags>>2&3])
		for ops := data[2:min(len(data), 2000)]; len(ops) >= 2; ops = ops[2:] {
			p.do(ops[0], uint32(ops[1])<<8|uint32(ops[1]))
		}
		p.close(before)
	})
}
