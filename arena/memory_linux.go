//go:build linux && !race

package arena

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. A kernel without them refuses, which costs
// speed and nothing else, so the answer does not matter.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
