package arena

// Retain says that somebody depends on the arena's memory: Close fails with
// [ErrBusy] until as many Release calls have been made. After Close it fails with
// [ErrClosed]. Retain, Release and Close may meet from different goroutines.
func (a *Arena) Retain() error {
	for {
		n := a.users.Load()
		if n == isClosed {
			return ErrClosed
		}
		if a.users.CompareAndSwap(n, n+1) {
			return nil
		}
	}
}

// Release undoes one Retain. One Release too many panics: memory could have been
// freed under somebody's feet. After Close, which no Retain outlives, it does
// nothing.
func (a *Arena) Release() {
	for {
		n := a.users.Load()
		if n == isClosed {
			return
		}
		if n == 0 {
			panic("arena: Release without Retain")
		}
		if a.users.CompareAndSwap(n, n-1) {
			return
		}
	}
}

// Close frees the arena and all its columns. All handles are stale then, all
// column slices nil, and every later call is an error, false or 0, never a fault;
// but slices taken earlier must not be touched. While somebody retains the arena,
// or Drain runs, it is [ErrBusy] and nothing has changed. A second Close does
// nothing. A mapped arena that is dropped without Close is never given back.
func (a *Arena) Close() error {
	if !a.users.CompareAndSwap(0, isClosed) {
		if a.users.Load() == isClosed {
			return nil
		}
		return ErrBusy
	}
	for _, c := range a.columns {
		c.drop()
	}
	a.state = state{}
	return nil
}
