// Package fuzz holds black-box tests that join packages: random worlds, driven by
// bytes, against plain models.
package fuzz
