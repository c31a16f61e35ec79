package arena

import (
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
)

func TestRetainKeepsOpen(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		a := newArena(t, Config{Memory: m})
		h := mustAlloc(t, a, 1)[0]
		for range 2 {
			if err := a.Retain(); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := a.Close(); !errors.Is(err, ErrBusy) {
				t.Fatalf("Close while retained = %v; want ErrBusy", err)
			}
			if !a.Alive(h) {
				t.Fatal("a refused Close changed something")
			}
			a.Release()
		}
		for range 2 {
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestReleaseWithoutRetainPanics(t *testing.T) {
	a := newArena(t, Config{})
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	a.Release()
}

// Every method after Close: an error, false or 0, never a fault. The table is
// checked to be complete.
func TestUseAfterClose(t *testing.T) {
	both(t, func(t *testing.T, m Memory) {
		before := MappedBytes()
		a, err := New(Config{Memory: m, Deferred: true, Capacity: 1000})
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewColumn[uint64](a, m)
		if err != nil {
			t.Fatal(err)
		}
		hs := mustAlloc(t, a, 200)
		a.Free(hs[0])
		a.Seal()
		a.Free(hs[1])
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		h := hs[100]
		refused := map[string]func() bool{
			"Alloc":           func() bool { h, err := a.Alloc(); return h == 0 && errors.Is(err, ErrClosed) },
			"Free":            func() bool { return !a.Free(h) && !a.Free(0) },
			"Alive":           func() bool { return !a.Alive(h) && !a.Alive(0) },
			"Len":             func() bool { return a.Len() == 0 },
			"Slots":           func() bool { return a.Slots() == 0 },
			"Capacity":        func() bool { return a.Capacity() == 0 },
			"Deferred":        func() bool { return !a.Deferred() },
			"Clear":           func() bool { a.Clear(); return true },
			"Drain":           func() bool { a.Drain(func(h Handle) { t.Errorf("drained %v", h) }); return true },
			"Seal":            func() bool { return a.Seal() == 0 },
			"Reclaim":         func() bool { return a.Reclaim(1) == 0 && a.Reclaim(0) == 0 },
			"Retain":          func() bool { return errors.Is(a.Retain(), ErrClosed) },
			"Release":         func() bool { a.Release(); return true },
			"Close":           func() bool { return a.Close() == nil },
			"Stats":           func() bool { return a.Stats() == Stats{} },
			"CheckInvariants": func() bool { return a.CheckInvariants() == nil },
			"NewColumn": func() bool {
				c, err := NewColumn[int8](a, m)
				return c == nil && errors.Is(err, ErrClosed)
			},
			"Column.Slice":   func() bool { return c.Slice() == nil },
			"Column.KeepOld": func() bool { c.KeepOld(); return c.Slice() == nil },
			"Column.Free":    func() bool { c.Free(); return c.Slice() == nil },
		}
		for _, typ := range []reflect.Type{reflect.TypeFor[*Arena](), reflect.TypeFor[*Column[uint64]]()} {
			for i := range typ.NumMethod() {
				name := typ.Method(i).Name
				if typ != reflect.TypeFor[*Arena]() {
					name = "Column." + name
				}
				if refused[name] == nil {
					t.Errorf("%s is not in the table", name)
				}
			}
		}
		var names []string
		for name := range refused {
			names = append(names, name)
		}
		slices.Sort(names)
		for range 2 { // nothing that one of them does may wake another
			for _, name := range names {
				if !refused[name]() {
					t.Errorf("%s after Close does something", name)
				}
			}
		}
		if got := MappedBytes(); got != before {
			t.Errorf("MappedBytes() = %d after Close; want %d", got, before)
		}
	})
}

// Retain against Close from other goroutines: who gets through holds the arena
// open, and after Close nobody gets through.
func TestRetainAgainstClose(t *testing.T) {
	for range 200 {
		a := &Arena{}
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				<-start
				for range 20 {
					if err := a.Retain(); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Error(err)
						}
						return
					}
					if err := a.Close(); !errors.Is(err, ErrBusy) {
						t.Errorf("Close while retained = %v; want ErrBusy", err)
					}
					a.Release()
				}
			})
		}
		close(start)
		for a.Close() != nil {
		}
		if err := a.Retain(); !errors.Is(err, ErrClosed) {
			t.Fatalf("Retain after Close = %v; want ErrClosed", err)
		}
		wg.Wait()
	}
}
