//go:build !race

package crosslist

const raceEnabled = false
