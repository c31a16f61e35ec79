package asm

import "slices"

// Find returns the index of the first element of column that equals v, -1 if there
// is none. Elements behind the column, up to [Slack], are read, so it needs them
// in its capacity. No allocation. O(len(column)), 16 at a time on AVX-512.
func Find(column []uint32, v uint32) int {
	if len(column) == 0 {
		return -1
	}
	_ = column[:len(column)+Slack]
	return find(column, v)
}

func findGeneric(column []uint32, v uint32) int { return slices.Index(column, v) }
