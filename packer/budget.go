package packer

import (
	"errors"
	"fmt"
	"math"
)

// ErrBudget: a field of Limits is out of range, there is no Budget, or MaxWait
// was asked for what cannot be promised.
var ErrBudget = errors.New("packer: bad budget")

// shareUnit is what shares are counted in: all thirds, sevenths, elevenths,
// thirteenths, per cents and parts of ten thousand are whole numbers of it.
const shareUnit = 3_603_600_000

// Class says how one kind of traffic is treated.
type Class struct {
	// AgeWeight is added to the priority for each tick waited: effective priority
	// = min(Priority + AgeWeight * Waited, 65535). 0: waiting does not help.
	AgeWeight uint32
	// MaxSilence: who waited that many ticks is starved. 0: nobody is.
	MaxSilence uint32
	// Share of the bytes left after must-send that this class is served with
	// before others, 0 to 1. Shares are rounded to the nearest 1/3,603,600,000;
	// bytes are rounded down.
	Share float64
	// MinInterval is, by wanted level, how many ticks must pass between two updates
	// of the same candidate. 0 and 1: no limit.
	MinInterval [Levels]uint32
}

// Limits are what a Budget is made of.
type Limits struct {
	// Bytes is what may be spent in a tick, all in all. At least 1.
	Bytes uint32
	// Reserve is what removes and spawns may spend of it, and all they may spend,
	// at most Bytes. What they leave goes to updates. 0: no lifecycle is ever sent.
	Reserve uint32
	// Classes are the kinds of traffic, at most MaxClasses. None: one class, the
	// zero Class.
	Classes []Class
	// StarvedShare is the part of the bytes left after must-send that the starved
	// get before the normal ones, above 0 to 1. 0: a third. It and the shares of all
	// classes sum to at most 1.
	StarvedShare float64
	// Degrade: what does not fit at the wanted level is sent at the finest coarser
	// level that fits.
	Degrade bool
}

// A Budget is checked Limits. It never changes, and any number of connections
// and goroutines may share it. The zero Budget is none: Pack refuses it.
type Budget struct {
	bytes, reserve uint32
	classes        [MaxClasses]class
	n              int    // of classes
	starved        uint64 // share, in shareUnits
	degrade        bool
	weights        [MaxClasses]uint32
	patience       [MaxClasses]uint32 // who waited longer is starved
	leastPatience  uint32
	owners         uint16 // bit of each class with a share
	ages           bool   // some class has an AgeWeight
	shares         bool   // some class has a share
	intervals      bool   // some class has an interval
	silence        bool   // some class has a silence
}

// class is a Class as Pack uses it.
type class struct {
	ageWeight, silence uint32
	share              uint64 // in shareUnits
	interval           [Levels]uint32
}

// NewBudget checks the limits and returns them as a Budget. The error wraps
// ErrBudget and names the field.
func NewBudget(l Limits) (*Budget, error) {
	if l.Bytes == 0 {
		return nil, fmt.Errorf("%w: Bytes is 0", ErrBudget)
	}
	if l.Reserve > l.Bytes {
		return nil, fmt.Errorf("%w: Reserve %d is above Bytes %d", ErrBudget, l.Reserve, l.Bytes)
	}
	if len(l.Classes) > MaxClasses {
		return nil, fmt.Errorf("%w: %d Classes, at most %d", ErrBudget, len(l.Classes), MaxClasses)
	}
	b := &Budget{bytes: l.Bytes, reserve: l.Reserve, n: max(len(l.Classes), 1), degrade: l.Degrade}
	if l.StarvedShare == 0 {
		l.StarvedShare = 1.0 / 3
	}
	sum, ok := toShare(l.StarvedShare)
	if !ok || sum == 0 {
		return nil, fmt.Errorf("%w: StarvedShare %v", ErrBudget, l.StarvedShare)
	}
	b.starved = sum
	b.leastPatience = math.MaxUint32
	for i := range b.patience {
		b.patience[i] = math.MaxUint32
	}
	for i, k := range l.Classes {
		share, ok := toShare(k.Share)
		if !ok {
			return nil, fmt.Errorf("%w: class %d: Share %v", ErrBudget, i, k.Share)
		}
		if sum += share; sum > shareUnit {
			return nil, fmt.Errorf("%w: class %d: Share %v: StarvedShare and the shares sum to more than 1", ErrBudget, i, k.Share)
		}
		b.classes[i] = class{ageWeight: k.AgeWeight, silence: k.MaxSilence, share: share, interval: k.MinInterval}
		if share > 0 {
			b.shares = true
			b.owners |= 1 << i
		}
		b.patience[i] = k.MaxSilence - 1 // 0: nobody waits longer than 2^32 - 1
		b.leastPatience = min(b.leastPatience, b.patience[i])
		b.silence = b.silence || k.MaxSilence > 0
		b.intervals = b.intervals || k.MinInterval != [Levels]uint32{}
		b.weights[i], b.ages = k.AgeWeight, b.ages || k.AgeWeight > 0
	}
	return b, nil
}

// Bytes returns what may be spent in a tick.
func (b *Budget) Bytes() uint32 { return b.bytes }

// Reserve returns what removes and spawns may spend of Bytes.
func (b *Budget) Reserve() uint32 { return b.reserve }

// Classes returns how many classes there are, at least 1.
func (b *Budget) Classes() int { return b.n }

// toShare returns a share in shareUnits, rounded to the nearest.
func toShare(share float64) (uint64, bool) {
	if !(share >= 0 && share <= 1) {
		return 0, false
	}
	return uint64(math.Round(share * shareUnit)), true
}

// part returns a share of some bytes, rounded down.
func part(share uint64, bytes uint32) uint32 {
	return uint32(share * uint64(bytes) / shareUnit)
}
