package asm

// Far splits elements by how far they moved on an axis: it writes to dst the index
// of every element that moved by more than limit, rising, and returns how many
// these are, and the longest move of the others. Elements whose old x is [Gone] came
// from nowhere and are neither. All columns are as long as x, with [Slack] readable
// elements behind; dst has room for all indexes and [Slack] more. limit is not
// negative. No allocation. O(len(x)).
func Far(dst []uint32, x, y, oldX, oldY []int32, limit int32) (n int, step int32) {
	if len(x) == 0 {
		return 0, 0
	}
	_, _, _, _ = x[:len(x)+Slack], y[:len(x)+Slack], oldX[:len(x)+Slack], oldY[:len(x)+Slack]
	_ = dst[:len(x)+Slack]
	return far(dst, x, y, oldX, oldY, limit)
}

// farGeneric is the definition. A move is below 2^31, so it is compared unsigned.
func farGeneric(dst []uint32, x, y, oldX, oldY []int32, limit int32) (n int, step int32) {
	y, oldX, oldY = y[:len(x)], oldX[:len(x)], oldY[:len(x)]
	for i, now := range x {
		if oldX[i] == Gone {
			continue
		}
		move := max(absHeight(now-oldX[i]), absHeight(y[i]-oldY[i]))
		if move > uint32(limit) {
			dst[n] = uint32(i)
			n++
			continue
		}
		step = max(step, int32(move))
	}
	return n, step
}
