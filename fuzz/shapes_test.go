package fuzz

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"vicinity/arena"
	"vicinity/asm"
	"vicinity/grid"
	"vicinity/internal/oracle"
)

// moment is what was asked and answered at a tick.
type moment struct {
	tick      uint64
	questions []question
	answers   [][]oracle.Near
}

// town is a world that is seen in some frames, and what it should answer.
type town struct {
	t       testing.TB
	s       *script
	window  window
	layers  int
	history int
	scenes  []*scene
	all     []resident
	nextID  uint64
	tick    uint64
	past    []moment
	shapeCounts
}

// shapeCounts says what was asked, and how often somebody was found and was not.
type shapeCounts struct {
	worlds, asked, again int
	in, out              [forms]int
}

func (c *shapeCounts) add(d shapeCounts) {
	c.worlds, c.asked, c.again = c.worlds+d.worlds, c.asked+d.asked, c.again+d.again
	for i := range c.in {
		c.in[i], c.out[i] = c.in[i]+d.in[i], c.out[i]+d.out[i]
	}
}

func newTown(t testing.TB, s *script) *town {
	t.Helper()
	w := &town{t: t, s: s, window: someWindow(s), layers: 1 + s.below(3), history: s.below(3), nextID: 1}
	w.worlds = 1
	cfg := grid.Config{Height: true, Masks: true, Previous: s.below(2) == 0, History: w.history}
	for range w.layers {
		around := max(logOf(w.window.size)-5, 0)
		edge := func() int32 { return 1 << min(around+s.below(8), 29) }
		cfg.Layers = append(cfg.Layers, grid.Layer{CellX: edge(), CellY: edge(), Static: s.below(4) == 0})
	}
	w.addScene(cfg, frame{signX: 1, signY: 1})
	for range 2 {
		w.addScene(cfg, someFrame(s, w.window))
	}
	return w
}

func (w *town) addScene(cfg grid.Config, f frame) {
	w.t.Helper()
	v := &scene{frame: f, have: map[uint64]inScene{}}
	var err error
	v.arena, err = arena.New(arena.Config{Deferred: true})
	w.must(err)
	cfg.Arena = v.arena
	v.grid, err = grid.New(cfg)
	w.must(err)
	v.reader, err = v.grid.NewReader()
	w.must(err)
	w.scenes = append(w.scenes, v)
}

func (w *town) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("tick %d: %v", w.tick, err)
	}
}

// change changes who is where and what: in the first tick everybody comes.
func (w *town) change(questions []question) {
	s := w.s
	busy := 1 + s.below(4) // a fourth of all to all
	for i := range w.all {
		r := &w.all[i]
		if s.below(4) >= busy {
			continue
		}
		if s.below(3) == 0 {
			r.body = w.window.someBody(s)
		}
		if s.below(6) == 0 {
			r.layer = s.below(w.layers)
		}
		w.mask(r)
		if s.below(4) > 0 {
			w.window.put(s, r, questions, w.all)
		}
	}
	for len(w.all) > 0 && s.below(4) == 0 {
		i := s.below(len(w.all))
		w.all = slices.Delete(w.all, i, i+1)
	}
	const most = 24
	for range min(s.below(20), most-len(w.all)) {
		r := resident{id: w.nextID, layer: s.below(w.layers), body: w.window.someBody(s)}
		w.nextID++
		w.mask(&r)
		w.window.put(s, &r, questions, w.all)
		w.all = append(w.all, r)
	}
}

func (w *town) mask(r *resident) {
	r.need, r.any = 0, 0
	switch w.s.below(6) {
	case 0:
		r.need = 1 << w.s.below(4)
	case 1:
		r.any = uint32(w.s.below(16))
	}
}

// play lets some ticks pass, and asks in each.
func (w *town) play(ticks int) {
	w.t.Helper()
	for range ticks {
		w.tick += uint64(1 + w.s.below(3))
		now := moment{tick: w.tick}
		for range 1 + w.s.below(7) {
			now.questions = append(now.questions, w.window.someQuestion(w.s, w.layers))
		}
		w.change(now.questions)
		for i := range now.questions {
			now.answers = append(now.answers, w.right(&now.questions[i]))
		}
		for _, v := range w.scenes {
			w.must(v.show(w.all, w.tick))
			w.askAll(v, &now)
		}
		w.past = append(w.past, now)
	}
	for _, v := range w.scenes {
		v.reader.Close()
		w.must(v.grid.Close())
		w.must(v.arena.Close())
	}
}

// right returns the right answer, and counts.
func (w *town) right(q *question) []oracle.Near {
	found := q.right(w.all)
	w.asked++
	w.in[q.form] += len(found)
	w.out[q.form] += len(w.all) - len(found)
	return found
}

// askAll asks a scene on every tier, and then what it was asked in the ticks that it
// still shows.
func (w *town) askAll(v *scene, now *moment) {
	w.t.Helper()
	for _, tier := range asm.Levels() {
		w.must(asm.SetTier(tier))
		w.askAt(v, v.grid.Snapshot(), now)
	}
	for i := range w.past[max(len(w.past)-w.history, 0):] {
		old := &w.past[len(w.past)-1-i]
		s, err := v.reader.PinAt(old.tick)
		w.must(err)
		w.askAt(v, s, old)
		v.reader.Unpin()
		w.again++
	}
}

// askAt asks a snapshot what was asked at a moment.
func (w *town) askAt(v *scene, s *grid.Snapshot, m *moment) {
	w.t.Helper()
	for i := range m.questions {
		q := v.question(m.questions[i])
		if q.form == formCone {
			w.checkEdges(v, &m.questions[i], &q)
		}
		got, err := q.ask(s)
		w.must(err)
		if !slices.Equal(got, m.answers[i]) {
			w.explain(v, &m.questions[i], m, got, m.answers[i])
		}
	}
}

// checkEdges holds the edges of a cone against those in the world's own frame: they are
// mirrored as the direction is.
func (w *town) checkEdges(v *scene, q, seen *question) {
	w.t.Helper()
	own, other := q.cone(), seen.cone()
	right, left := own.Edges()
	right[0], right[1] = v.turn(right[0], right[1])
	left[0], left[1] = v.turn(left[0], left[1])
	if v.flips() {
		right, left = left, right
	}
	if r, l := other.Edges(); r != right || l != left {
		w.t.Fatalf("edges of %+v: %v, %v; in frame %+v they are %v, %v", own, right, left, v.frame, r, l)
	}
}

// explain fails with the question and whom it is about.
func (w *town) explain(v *scene, q *question, m *moment, got, want []oracle.Near) {
	w.t.Helper()
	text := ""
	for _, r := range w.all {
		has := func(list []oracle.Near) int {
			return slices.IndexFunc(list, func(n oracle.Near) bool { return n.ID == r.id })
		}
		if g, o := has(got), has(want); g != o {
			text += fmt.Sprintf("\n%+v at place %d; want %d", r, g, o)
		}
	}
	seen := v.question(*q)
	w.t.Fatalf("tick %d of %d, %v, window %+v, frame %+v, history %d:\n%v\nseen as %v\n%v\nwant %v%s",
		m.tick, w.tick, asm.Tier(), w.window, v.frame, w.history, q, &seen, got, want, text)
}

// playTown plays a world.
func playTown(t testing.TB, s *script, ticks int) shapeCounts {
	t.Helper()
	before := asm.Tier()
	defer asm.SetTier(before)
	w := newTown(t, s)
	w.play(ticks)
	return w.shapeCounts
}

// Every kind of query, of bodies of every kind that often just touch, anywhere in the
// range, is answered as the oracle does: on every tier, mirrored, with axes exchanged and
// moved, and later by what is kept of the tick.
func TestShapes(t *testing.T) {
	worlds := 800
	if testing.Short() {
		worlds = 60
	}
	t.Logf("-seed=%d", *seedFlag)
	var sum shapeCounts
	for i := range worlds {
		sum.add(playTown(t, &script{state: uint64(*seedFlag)<<32 + uint64(i)*0xD6E8FEB86659FD93}, 1+i%4))
	}
	t.Logf("%+v", sum)
	for i, name := range formNames {
		if !testing.Short() && min(sum.in[i], sum.out[i]) < worlds {
			t.Errorf("%s: too little is found, or passed over", name)
		}
	}
}

func FuzzShapes(f *testing.F) {
	for i := range 24 {
		f.Add([]byte{byte(i % 8), byte(i / 3), byte(i), byte(5 * i), byte(i / 2), byte(11 * i), byte(7 * i)})
	}
	for form := range byte(forms) {
		f.Add(binary.BigEndian.AppendUint32([]byte{form, 2, 1, 0, form}, 0x9E3779B9*uint32(form)))
	}
	f.Fuzz(func(t *testing.T, b []byte) { playTown(t, newScript(b), 1+len(b)%3) })
}
