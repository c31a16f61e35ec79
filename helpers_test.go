package vicinity

import (
	"testing"

	"vicinity/packer"
)

// cost is the cost of an entity with one level.
func cost(bytes uint32) [packer.Levels]uint32 { return [packer.Levels]uint32{bytes} }

// newWorld returns a World that is closed at the end of the test.
func newWorld(t testing.TB, cfg Config) *World {
	t.Helper()
	w, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return w
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// spawn spawns an entity that costs 20 bytes.
func spawn(t testing.TB, w *World, id uint64, x, y float64) Handle {
	t.Helper()
	return spawnOf(t, w, Entity{ID: id, X: x, Y: y, Cost: cost(20)})
}

func spawnOf(t testing.TB, w *World, e Entity) Handle {
	t.Helper()
	h, err := w.Spawn(e)
	ok(t, err)
	return h
}

// at is a viewpoint that stays.
func at(x, y float64) Viewpoint { return Viewpoint{X: x, Y: y} }

// on is a viewpoint on an entity.
func on(h Handle) Viewpoint { return Viewpoint{Entity: h} }

// sent is what a test keeps of a delivery.
type sent struct {
	leaves, enters, updates []Item
	d                       Delivery
}

func keep(d *Delivery) sent {
	return sent{
		leaves: append([]Item(nil), d.Leaves...), enters: append([]Item(nil), d.Enters...),
		updates: append([]Item(nil), d.Updates...), d: *d,
	}
}

// tick ticks, accepts everything, and returns the deliveries by connection.
func tick(t testing.TB, w *World) map[ConnID]sent {
	t.Helper()
	return tickIf(t, w, true)
}

// tickIf ticks, and accepts everything or nothing. For Worlds without workers.
func tickIf(t testing.TB, w *World, accept bool) map[ConnID]sent {
	t.Helper()
	out := map[ConnID]sent{}
	ok(t, w.Tick(func(c ConnID, d *Delivery) bool {
		if d.Conn != c || d.Tick != w.Now() {
			t.Errorf("delivery for %d at %d came to %d at %d", d.Conn, d.Tick, c, w.Now())
		}
		out[c] = keep(d)
		return accept
	}))
	return out
}

// ids are the IDs of some items, in their order.
func ids(items []Item) []uint64 {
	out := []uint64{}
	for _, i := range items {
		out = append(out, i.ID)
	}
	return out
}
