//go:build race

package crosslist

const raceEnabled = true
