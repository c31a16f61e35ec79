package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"vicinity/asm"
	"vicinity/bench"
)

// Machine is what a measurement was taken on.
type Machine struct {
	Go       string  `json:"go"`
	Platform string  `json:"platform"`
	CPU      string  `json:"cpu"` // as it calls itself; "" if the system does not tell
	CPUs     int     `json:"cpus"`
	Kernels  string  `json:"kernels"`
	Commit   string  `json:"commit"` // "" if git does not tell
	Copy     float64 `json:"copy_gb_per_s"`
}

func thisMachine() Machine {
	return Machine{
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: cpuName(), CPUs: runtime.NumCPU(), Kernels: asm.Tier().String(),
		Commit: commit(), Copy: copySpeed(),
	}
}

func (m *Machine) String() string {
	return fmt.Sprintf("%s, %s, %s, %d CPUs, kernels %s, commit %s, copies 16 MiB at %.1f GB/s",
		m.Go, m.Platform, m.CPU, m.CPUs, m.Kernels, m.Commit, m.Copy)
}

func cpuName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(text), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimLeft(line, "\t :")
}

func commit() string {
	out, _ := exec.Command("git", "describe", "--always", "--dirty", "--exclude=*").Output()
	return strings.TrimSpace(string(out))
}

// copySpeed measures the memory, so that figures of different machines can be weighed.
func copySpeed() float64 {
	src, dst := make([]byte, 16<<20), make([]byte, 16<<20)
	t := bench.Paired(5, true, []bench.Variant{{Run: func() { copy(dst, src) }}})[0]
	return float64(len(src)) / float64(bench.Median(t).Nanoseconds())
}
