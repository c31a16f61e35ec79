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

// Digest is one number over all results of a run: xxhash64 over, for each tick,
// its number, how many relations hold, and these sorted by observer, then
// entity; every number as eight bytes, least significant first. Two runs with
// the same results have the same digest, whatever computed them.
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

func (d *Digest) pair(a, b uint64) {
	if len(d.buf)+16 > cap(d.buf) {
		d.flush()
	}
	d.buf = binary.LittleEndian.AppendUint64(d.buf, a)
	d.buf = binary.LittleEndian.AppendUint64(d.buf, b)
}

func (d *Digest) flush() {
	d.hash.Write(d.buf) // never fails
	d.buf = d.buf[:0]
}

// Sum64 returns the digest of the ticks so far; more may follow.
func (d *Digest) Sum64() uint64 { return d.hash.Sum64() }

// String returns the digest as 16 hexadecimal digits.
func (d *Digest) String() string { return fmt.Sprintf("%016x", d.Sum64()) }
