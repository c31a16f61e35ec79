//go:build !race

package packer

const raceEnabled = false
