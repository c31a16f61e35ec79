package asm

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// Level is one kind of kernel: the portable one, or an instruction set.
type Level uint8

// The levels, in rising order of preference on their machines.
const (
	Generic Level = iota // portable Go
	NEON                 // arm64
	AVX2                 // amd64 with AVX2, BMI1, BMI2, POPCNT
	AVX512               // amd64 with AVX-512 F, BW, DQ, VL as well
)

var levelNames = [...]string{Generic: "generic", NEON: "neon", AVX2: "avx2", AVX512: "avx512"}

// String returns the name that VICINITY_ASM takes.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// ErrLevel is returned for a level that does not exist, or that this CPU or this
// build does not have.
var ErrLevel = errors.New("asm: no such kernel level here")

var (
	tier     = levels()[len(levels())-1]
	envError = fromEnv()
)

// Tier returns the level in use.
func Tier() Level { return tier }

// Levels returns the levels that this CPU and this build have, rising; the last
// is the default.
func Levels() []Level { return levels() }

// SetTier changes the level in use. It is for tests and tools: no kernel may run
// meanwhile. ErrLevel leaves things as they were.
func SetTier(l Level) error {
	if !slices.Contains(levels(), l) {
		return fmt.Errorf("%w: %v (there are %v)", ErrLevel, l, levels())
	}
	tier = l
	return nil
}

// ParseLevel returns the level of a name as in VICINITY_ASM.
func ParseLevel(name string) (Level, error) {
	if i := slices.Index(levelNames[:], name); i >= 0 {
		return Level(i), nil
	}
	return 0, fmt.Errorf("%w: %q (names are %q)", ErrLevel, name, levelNames)
}

// EnvError returns why the value of VICINITY_ASM was not followed, or nil. The
// constructors of the engine return it, so that a misspelt override is noticed.
func EnvError() error { return envError }

func fromEnv() error {
	name := os.Getenv("VICINITY_ASM")
	if name == "" {
		return nil
	}
	l, err := ParseLevel(name)
	if err == nil {
		err = SetTier(l)
	}
	if err != nil {
		return fmt.Errorf("VICINITY_ASM=%s: %w", name, err)
	}
	return nil
}
