package asm

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// word is an instruction that neon_arm64.h spells as a number.
type word struct {
	name     string
	base     uint32
	threeOps bool   // has an operand m
	text     string // what a disassembler prints, with vm, vn and vd (or xm, xn, qd)
}

var wordLine = regexp.MustCompile(`^#define (\w+)\((m, )?n, d\) WORD \$\((0x[0-9A-F]{8}) (\| \(m\)<<16 )?\| \(n\)<<5 \| \(d\)\) // (.+)$`)

// readWords returns the instruction macros of neon_arm64.h. A WORD anywhere else
// in the arm64 sources, or one in another form, is an error: nothing would check it.
func readWords(t *testing.T) []word {
	t.Helper()
	var words []word
	for file, text := range neonSources(t) {
		for i, line := range strings.Split(text, "\n") {
			if !regexp.MustCompile(`\b(WORD|LONG|BYTE)\b`).MatchString(line) {
				continue
			}
			m := wordLine.FindStringSubmatch(line)
			if m == nil || (m[2] == "") != (m[4] == "") || file != "neon_arm64.h" {
				t.Errorf("%s:%d: an instruction as a number, but not a macro of neon_arm64.h in the agreed form: %s", file, i+1, line)
				continue
			}
			base, err := strconv.ParseUint(m[3], 0, 32)
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, word{name: m[1], base: uint32(base), threeOps: m[2] != "", text: m[5]})
		}
	}
	return words
}

// neonSources returns the hand-written arm64 assembly, by file.
func neonSources(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	for _, pattern := range []string{"*_arm64.s", "*_arm64.h"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources[file] = string(text)
		}
	}
	return sources
}

// encode returns the instruction for register numbers m, n, d.
func (w word) encode(m, n, d uint32) uint32 {
	v := w.base | n<<5 | d
	if w.threeOps {
		v |= m << 16
	}
	return v
}

var operand = regexp.MustCompile(`\b([vxq])([mnd])\b`)

// want returns the disassembly that the macro's comment announces.
func (w word) want(m, n, d uint32) string {
	number := map[string]uint32{"m": m, "n": n, "d": d}
	return operand.ReplaceAllStringFunc(w.text, func(s string) string {
		return s[:1] + strconv.Itoa(int(number[s[1:]]))
	})
}

// objdump returns the output of the arm64 disassembler, in lower case, with runs
// of blanks as one.
func objdump(t *testing.T, args ...string) string {
	t.Helper()
	const name = "aarch64-linux-gnu-objdump"
	program, err := exec.LookPath(name)
	if err != nil && runtime.GOARCH == "arm64" {
		program, err = exec.LookPath("objdump")
	}
	if err != nil {
		need(t, "objdump", name+" is not installed")
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return regexp.MustCompile(`[ \t]+`).ReplaceAllString(strings.ToLower(string(out)), " ")
}

// need skips the test for want of what, or fails it if VICINITY_REQUIRE names it.
func need(t *testing.T, what, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("VICINITY_REQUIRE"), ","), what) {
		t.Fatalf("this machine is meant to have %s: %s", what, why)
	}
	t.Skip(why)
}

// instruction is a line of a disassembly: offset, encoding, text.
var instruction = regexp.MustCompile(`(?m)^ *[0-9a-f]+: ([0-9a-f]{8}) (.+?) *(//.*)?$`)

// TestNEONWords: every instruction that is spelt as a number is the one that its
// comment names, for low, high and distinct registers in every place.
func TestNEONWords(t *testing.T) {
	words := readWords(t)
	if len(words) < 20 {
		t.Fatalf("only %d instruction macros found", len(words))
	}
	registers := [][3]uint32{{1, 2, 3}, {30, 0, 0}, {0, 30, 0}, {0, 0, 30}, {21, 10, 5}, {10, 21, 26}}
	var code []byte
	var wants []string
	for _, w := range words {
		for _, r := range registers {
			code = binary.LittleEndian.AppendUint32(code, w.encode(r[0], r[1], r[2]))
			wants = append(wants, w.want(r[0], r[1], r[2]))
		}
	}
	file := filepath.Join(t.TempDir(), "words")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	lines := instruction.FindAllStringSubmatch(objdump(t, "-D", "-b", "binary", "-m", "aarch64", "-z", file), -1)
	if len(lines) != len(wants) {
		t.Fatalf("%d instructions disassembled; want %d", len(lines), len(wants))
	}
	for i, want := range wants {
		if got := lines[i][2]; got != want {
			t.Errorf("%s: 0x%s is %q; want %q", words[i/len(registers)].name, lines[i][1], got, want)
		}
	}
}

// TestNEONMacrosUsed: no macro outlives its last use.
func TestNEONMacrosUsed(t *testing.T) {
	var all strings.Builder
	for _, text := range neonSources(t) {
		all.WriteString(text)
	}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)`).FindAllStringSubmatch(all.String(), -1) {
		code := regexp.MustCompile(`//.*`).ReplaceAllString(all.String(), "")
		if n := len(regexp.MustCompile(`\b`+m[1]+`\b`).FindAllString(code, -1)); n < 2 {
			t.Errorf("macro %s is not used", m[1])
		}
	}
}

// TestNEONDisassembly builds the kernels for arm64 and reads them back: all are
// there, hold no undefined instruction, and fuse no multiplication with an
// addition, which would round otherwise than the portable form. Together they
// use every instruction that neon_arm64.h adds.
func TestNEONDisassembly(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	binary := buildARM64(t)
	stubs, err := os.ReadFile("stubs_arm64.go")
	if err != nil {
		t.Fatal(err)
	}
	kernels := regexp.MustCompile(`(?m)^func (\w+)\(`).FindAllStringSubmatch(string(stubs), -1)
	if len(kernels) != 14 {
		t.Errorf("%d kernels declared; want 14", len(kernels))
	}
	used := map[string]bool{}
	for _, kernel := range kernels {
		lines := instruction.FindAllStringSubmatch(objdump(t, "-d", "--disassemble=vicinity/asm."+kernel[1]+".abi0", binary), -1)
		if len(lines) < 20 {
			t.Errorf("%s: %d instructions found", kernel[1], len(lines))
		}
		for _, line := range lines {
			name, _, _ := strings.Cut(line[2], " ")
			used[name] = true
			switch name {
			case ".inst", "udf", "fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub":
				if line[1] != "00000000" { // padding behind the function
					t.Errorf("%s: 0x%s is %q", kernel[1], line[1], line[2])
				}
			}
		}
	}
	for _, w := range readWords(t) {
		if name, _, _ := strings.Cut(w.text, " "); !used[name] {
			t.Errorf("no kernel contains %s (%s)", w.name, name)
		}
	}
}

// buildARM64 returns this package's test program for linux on arm64.
func buildARM64(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("go")
	if err != nil {
		need(t, "objdump", "no go command to build with")
	}
	file := filepath.Join(t.TempDir(), "asm.test")
	cmd := exec.Command(program, "test", "-c", "-o", file, ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOEXPERIMENT=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}
