package vicinity

import "vicinity/interest"

// AppendMembers appends who is in the view of a connection or watcher, as of its last
// update, in the order of rows: what was delivered and what was not. An unknown ID
// has nobody in view. It does not allocate if dst has room. O(rows of the view). Not
// during a Tick.
func (w *World) AppendMembers(dst []interest.Member, id ConnID) []interest.Member {
	if w.ready() != nil {
		return dst
	}
	if c := w.conns[id]; c != nil {
		dst = c.view.AppendMembers(dst)
	}
	return dst
}
