//go:build !race

package vicinity

const raceEnabled = false
