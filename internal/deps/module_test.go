package deps

import (
	"os"
	"testing"
)

// thisModule returns this module.
func thisModule(t *testing.T) *tree {
	t.Helper()
	tree, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// report fails once for each problem.
func report(t *testing.T, problems []string) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

func TestArrows(t *testing.T)       { report(t, checkArrows(thisModule(t))) }
func TestRequirements(t *testing.T) { report(t, checkRequirements(thisModule(t))) }
func TestComments(t *testing.T)     { report(t, checkComments(thisModule(t))) }

// The walk has to see the module, or the other tests hold nothing.
func TestWalkSeesTheModule(t *testing.T) {
	m := thisModule(t)
	if m.module != "vicinity" {
		t.Errorf("module %q; want vicinity", m.module)
	}
	for _, dir := range []string{"arena", "internal/deps", "internal/guard", "internal/invariants"} {
		p := m.packages[dir]
		if p == nil {
			t.Errorf("%s was not seen", dir)
			continue
		}
		tests, others := 0, 0
		for _, f := range p.files {
			if f.test {
				tests++
			} else {
				others++
			}
		}
		if tests == 0 || others == 0 {
			t.Errorf("%s: %d test files, %d others; want some of both", dir, tests, others)
		}
	}
}
