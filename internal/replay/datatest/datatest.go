// Package datatest finds the folder of recorded traces for tests. The folder is
// not part of the module: it is named by VICINITY_DATA, or lies at
// ../shared/data beside the folder that holds the module's go.mod.
package datatest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Dir returns the folder, which has a manifest.json. Without one the test is
// skipped, with the reason, or fails if VICINITY_REQUIRE contains "data".
func Dir(t testing.TB) string {
	t.Helper()
	dir, why := find()
	if why == "" {
		return dir
	}
	if strings.Contains(os.Getenv("VICINITY_REQUIRE"), "data") {
		t.Fatalf("VICINITY_REQUIRE asks for data: %s", why)
	}
	t.Skip(why)
	return ""
}

// find returns the folder, or why there is none.
func find() (dir, why string) {
	dir = os.Getenv("VICINITY_DATA")
	if dir == "" {
		root, ok := moduleRoot()
		if !ok {
			return "", "no traces: VICINITY_DATA is not set, and no go.mod of the module is above"
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil {
		return "", "no traces: " + err.Error()
	}
	return dir, ""
}

// moduleRoot walks up to the folder of the root module.
func moduleRoot() (string, bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte("module vicinity\n")) {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
