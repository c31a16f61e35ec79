//go:build !race

package interest

const raceEnabled = false
