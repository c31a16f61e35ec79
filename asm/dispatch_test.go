package asm

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	all := Levels()
	if len(all) == 0 || all[0] != Generic || !slices.IsSorted(all) {
		t.Fatalf("levels are %v; want %v first, rising", all, Generic)
	}
	for _, l := range all {
		if !slices.Contains(meant(), l) {
			t.Errorf("there is %v; this architecture has %v", l, meant())
		}
	}
}

func TestLevelNames(t *testing.T) {
	for l, name := range []string{"generic", "neon", "avx2", "avx512"} {
		if got := Level(l).String(); got != name {
			t.Errorf("level %d is called %q; want %q", l, got, name)
		}
		if got, err := ParseLevel(name); err != nil || got != Level(l) {
			t.Errorf("ParseLevel(%q) = %v, %v; want %v", name, got, err, Level(l))
		}
	}
	if got := Level(9).String(); got != "Level(9)" {
		t.Errorf("level 9 is called %q; want Level(9)", got)
	}
	for _, name := range []string{"", "avx9", "AVX2", " avx2", "Level(2)"} {
		if got, err := ParseLevel(name); !errors.Is(err, ErrLevel) || got != Generic {
			t.Errorf("ParseLevel(%q) = %v, %v; want %v, ErrLevel", name, got, err, Generic)
		}
	}
}

func TestSetTier(t *testing.T) {
	before := Tier()
	defer SetTier(before)
	for _, l := range Levels() {
		if err := SetTier(l); err != nil || Tier() != l {
			t.Fatalf("SetTier(%v) = %v, then Tier() = %v", l, err, Tier())
		}
		for other := range Level(255) {
			if slices.Contains(Levels(), other) {
				continue
			}
			if err := SetTier(other); !errors.Is(err, ErrLevel) || Tier() != l {
				t.Fatalf("SetTier(%v) = %v, then Tier() = %v; want ErrLevel, %v", other, err, Tier(), l)
			}
		}
	}
}

// TestEnvironment starts this program again under values of VICINITY_ASM.
func TestEnvironment(t *testing.T) {
	best := Levels()[len(Levels())-1]
	type want struct {
		tier Level
		bad  bool
	}
	cases := map[string]want{"": {best, false}, "avx9": {best, true}, "AVX2": {best, true}}
	for l := range Level(len(levelNames)) {
		cases[l.String()] = want{best, true}
		if slices.Contains(Levels(), l) {
			cases[l.String()] = want{l, false}
		}
	}
	for value, want := range cases {
		t.Run("VICINITY_ASM="+value, func(t *testing.T) {
			report := child(t, value)
			if line := fmt.Sprintf("tier %v, EnvError %v, ErrLevel %v", want.tier, want.bad, want.bad); !strings.Contains(report, line) {
				t.Errorf("got %q; want %q", report, line)
			}
			if named := strings.Contains(report, "VICINITY_ASM="+value+":"); want.bad != named {
				t.Errorf("the error names the variable and its value: %v; want %v in %q", named, want.bad, report)
			}
		})
	}
}

const childVariable = "VICINITY_TEST_CHILD"

// child runs TestEnvironmentChild in a new process and returns what it prints.
func child(t *testing.T, value string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(program, "-test.run=^TestEnvironmentChild$")
	cmd.Env = append(os.Environ(), childVariable+"=1", "VICINITY_ASM="+value)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("%v: %s", err, out)
	} else if err != nil {
		t.Skipf("this program cannot be started again (it may run in an emulator): %v", err)
	}
	return string(out)
}

// TestEnvironmentChild is the other half of TestEnvironment.
func TestEnvironmentChild(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		t.Skip("runs only as a child of TestEnvironment")
	}
	err := EnvError()
	fmt.Printf("tier %v, EnvError %v, ErrLevel %v: %v\n", Tier(), err != nil, errors.Is(err, ErrLevel), err)
}
