package packer

// ranks is a list of what may be taken, as parallel columns: keys (see
// Candidates.key), costs at the wanted level, and costs at the cheapest, which is
// empty if nothing may be lowered.
type ranks struct {
	key         []uint64
	want, least []uint32
}

// grant is what a selection takes: a candidate, or the group that it leads, and
// what is paid for it.
type grant struct{ index, cost uint32 }

func (r *ranks) reset() {
	r.key, r.want, r.least = r.key[:0], r.want[:0], r.least[:0]
}

func (r *ranks) add(key uint64, want uint32) {
	r.key, r.want = append(r.key, key), append(r.want, want)
}
