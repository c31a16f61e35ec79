package replay

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
)

// AOIHeader and NearestHeader are the first lines of the two files of expected
// values, without their line feeds.
const (
	AOIHeader     = "tick,present,within,enter,keep,leave,relhash"
	NearestHeader = "tick,lists,entries,orderhash"
)

// NearestK is the length at which a list of nearest entities is cut, unless the
// manifest says otherwise.
const NearestK = 16

// AOIRow is one line of NAME.aoi.csv: what holds at one tick.
type AOIRow struct {
	Tick    uint64
	Present int
	Within  int // ordered pairs within the enter radius
	Enter   int // relations that begin,
	Keep    int // stay,
	Leave   int // and end at this tick
	RelHash uint64
}

// AppendTo appends the line, with its line feed.
func (r AOIRow) AppendTo(dst []byte) []byte {
	dst = append(strconv.AppendUint(dst, r.Tick, 10), ',')
	for _, n := range [...]int{r.Present, r.Within, r.Enter, r.Keep, r.Leave} {
		dst = append(strconv.AppendInt(dst, int64(n), 10), ',')
	}
	return append(appendHex(dst, r.RelHash), '\n')
}

// NearestRow is one line of NAME.nearest.csv: the lists of all present entities
// at one tick.
type NearestRow struct {
	Tick      uint64
	Lists     int
	Entries   int
	OrderHash uint64
}

// Add counts in the list of one observer, nearest first.
func (r *NearestRow) Add(observer uint64, list []uint64) {
	r.Lists++
	r.Entries += len(list)
	r.OrderHash += ListHash(observer, list)
}

// AppendTo appends the line, with its line feed.
func (r NearestRow) AppendTo(dst []byte) []byte {
	dst = append(strconv.AppendUint(dst, r.Tick, 10), ',')
	dst = append(strconv.AppendInt(dst, int64(r.Lists), 10), ',')
	dst = append(strconv.AppendInt(dst, int64(r.Entries), 10), ',')
	return append(appendHex(dst, r.OrderHash), '\n')
}

func appendHex(dst []byte, h uint64) []byte {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], h)
	return hex.AppendEncode(dst, b[:])
}

// NearestTicks returns the ticks that NAME.nearest.csv has lines for: 21, evenly
// spread from the first to the last, floor(i·(ticks-1)/20) for i = 0 … 20. A
// trace of fewer ticks has each of them once.
func NearestTicks(ticks uint64) []uint64 {
	const steps = 20
	var at []uint64
	for i := uint64(0); i <= steps && ticks > 0; i++ {
		t := i * (ticks - 1) / steps
		if len(at) == 0 || at[len(at)-1] != t {
			at = append(at, t)
		}
	}
	return at
}
