//go:build race

package grid

const raceEnabled = true
