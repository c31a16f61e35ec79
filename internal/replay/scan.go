package replay

import "io"

// Bounds is the closed rectangle around all positions of a trace, in units.
type Bounds struct{ MinX, MinY, MaxX, MaxY int32 }

// Summary is what one pass over a trace tells.
type Summary struct {
	Ticks      uint64
	Rows       int64
	Entities   int    // different IDs
	MaxID      uint64 // largest of them
	PresentMax int    // most entities in one tick
	Bounds     Bounds
	MaxKind    int32 // largest kind
}

// Scan reads the whole trace once. Its error is the first that a Reader meets,
// so a trace that scans plays to its end.
func Scan(src Source) (*Summary, error) {
	r, err := Open(src)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &Summary{Bounds: Bounds{MaxCoord, MaxCoord, -MaxCoord, -MaxCoord}}
	born := make(map[uint64]struct{})
	var now, before Tick
	for {
		err := r.Next(&now)
		if err == io.EOF {
			s.Entities = len(born)
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		s.add(&now)
		markBorn(born, &now, &before)
		now, before = before, now
	}
}

// add counts one tick in.
func (s *Summary) add(t *Tick) {
	s.Ticks++
	s.Rows += int64(t.Len())
	s.PresentMax = max(s.PresentMax, t.Len())
	s.MaxID = max(s.MaxID, t.ID[t.Len()-1])
	b := &s.Bounds
	for i := range t.ID {
		b.MinX, b.MaxX = min(b.MinX, t.X[i]), max(b.MaxX, t.X[i])
		b.MinY, b.MaxY = min(b.MinY, t.Y[i]), max(b.MaxY, t.Y[i])
	}
	for _, kind := range t.Kind {
		s.MaxKind = max(s.MaxKind, kind)
	}
}

// markBorn notes the IDs of now that the tick before does not have. Both are
// sorted, so the set is touched only when somebody appears.
func markBorn(born map[uint64]struct{}, now, before *Tick) {
	j := 0
	for _, id := range now.ID {
		for j < before.Len() && before.ID[j] < id {
			j++
		}
		if j == before.Len() || before.ID[j] != id {
			born[id] = struct{}{}
		}
	}
}
