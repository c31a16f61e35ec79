//go:build (darwin || freebsd || netbsd || openbsd || dragonfly || solaris) && !race

package arena

// adviseHuge does nothing: these systems choose page sizes themselves.
func adviseHuge([]byte) {}
