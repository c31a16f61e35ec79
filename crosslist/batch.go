package crosslist

// Begin opens a batch: until [List.AppendEnd] nothing is decided, and the calls
// that append events append none. It fails with [ErrOpen] if one is open.
//
// A batch is what a tick is: pairs are decided once, when it ends, on final
// positions, and what was entered and left again in between is no event. Sets and
// rectangles cannot be asked while it is open.
func (l *List) Begin() error {
	if l.open {
		return ErrOpen
	}
	l.open = true
	return nil
}

// AppendEnd ends the batch and appends the events of all that happened in it, as
// one: for each pair at most one, by trigger ID, then entity ID. It fails with
// [ErrNotOpen] if none is open. The cost is that of the moves, each from its first
// to its last position. No allocation in the steady state.
func (l *List) AppendEnd(dst []Event) ([]Event, error) {
	if !l.open {
		return dst, ErrNotOpen
	}
	l.open = false
	return l.finish(dst), nil
}

// Open reports whether a batch is open.
func (l *List) Open() bool { return l.open }
