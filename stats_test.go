package vicinity

import "testing"

// TestTimed: with few connections, too, every Tick says how long packing and the
// callback took.
func TestTimed(t *testing.T) {
	for _, conns := range []int{1, 3, 20} {
		w := newWorld(t, Config{})
		for i := range conns {
			h := spawn(t, w, uint64(i), float64(i), 0)
			ok(t, w.Connect(Connection{ID: ConnID(i), Viewpoint: on(h), Budget: 100}))
		}
		for range 20 {
			n := 0
			ok(t, w.Tick(func(ConnID, *Delivery) bool {
				for range 100_000 {
					n++
				}
				return true
			}))
			if s := w.Stats(); s.Callback <= 0 || s.Pack <= 0 || s.Served != conns || n == 0 {
				t.Errorf("%d connections, tick %d: packing took %v, callbacks %v", conns, s.Tick, s.Pack, s.Callback)
			}
		}
	}
}
