package replay

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Relation says that Observer has Entity in view. Both are entity IDs.
type Relation struct{ Observer, Entity uint64 }

// Compare orders relations by observer, then entity.
func (r Relation) Compare(s Relation) int {
	switch {
	case r == s:
		return 0
	case r.Observer < s.Observer, r.Observer == s.Observer && r.Entity < s.Entity:
		return -1
	}
	return 1
}

// Digest is one number over all results of a run: xxhash64 over what the package
// comment lists for each tick. Two runs with the same results have the same
// digest, whatever computed them.
type Digest struct {
	hash *xxhash.Digest
	buf  []byte
}

// digestBlock is how many bytes are gathered before they are hashed.
const digestBlock = 1 << 12

// NewDigest returns the digest of no tick.
func NewDigest() *Digest {
	return &Digest{hash: xxhash.New(), buf: make([]byte, 0, digestBlock)}
}

// Add appends one tick. The relations are sorted by Compare without repeats. It
// does not allocate.
func (d *Digest) Add(tick uint64, relations []Relation) {
	d.pair(tick, uint64(len(relations)))
	for _, r := range relations {
		d.pair(r.Observer, r.Entity)
	}
	d.flush()
}

// AddPacked appends what the tick that Add appended last sends. A run with a
// budget calls it once for every tick, also if nothing is sent; a run without
// never does. Both lists are sorted without repeats. It does not allocate.
func (d *Digest) AddPacked(p *Packed) {
	d.pair(uint64(len(p.Deliveries)), uint64(len(p.Selections)))
	for i := range p.Deliveries {
		v := &p.Deliveries[i]
		d.pair(v.Observer, uint64(v.Bytes))
		d.pair(uint64(v.Deferred), uint64(v.Oversize))
		d.word(uint64(v.Oldest))
	}
	for _, s := range p.Selections {
		d.pair(s.Observer, s.Entity)
		d.word(uint64(s.What))
	}
	d.word(uint64(p.Culled))
	d.flush()
}

func (d *Digest) pair(a, b uint64) {
	d.word(a)
	d.word(b)
}

func (d *Digest) word(a uint64) {
	if len(d.buf)+8 > cap(d.buf) {
		d.flush()
	}
	d.buf = binary.LittleEndian.AppendUint64(d.buf, a)
}

func (d *Digest) flush() {
	d.hash.Write(d.buf) // never fails
	d.buf = d.buf[:0]
}

// Sum64 returns the digest of the ticks so far; more may follow.
func (d *Digest) Sum64() uint64 { return d.hash.Sum64() }

// String returns the digest as 16 hexadecimal digits.
func (d *Digest) String() string { return fmt.Sprintf("%016x", d.Sum64()) }
