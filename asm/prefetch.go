package asm

import "unsafe"

// Prefetch asks for the cache lines of n bytes from p on, if the machine has a way
// to ask: whoever goes through memory that is in no cache can have the next piece
// under way while the present one is worked on. It never faults, changes nothing,
// and takes about a nanosecond a line. n must be positive.
func Prefetch(p unsafe.Pointer, n uintptr) { prefetch((*byte)(p), int((n+63)/64)) }
