package bundled

import (
	"embed"
	"fmt"
	"io/fs"
	"sync"

	"vicinity/internal/replay"
)

// Default is the trace that is played when nothing else is asked for.
const Default = "crowd-corridor"

//go:embed data
var files embed.FS

// FS returns the files: manifest.json, traces/, expected/ and licenses/.
func FS() fs.FS {
	sub, err := fs.Sub(files, "data")
	if err != nil {
		panic(err) // the path is a constant
	}
	return sub
}

var manifest = sync.OnceValue(func() *replay.Manifest {
	data, err := fs.ReadFile(FS(), "manifest.json")
	if err == nil {
		var m *replay.Manifest
		if m, err = replay.ParseManifest("bundled manifest", data); err == nil {
			return m
		}
	}
	panic(err) // a test reads it; it is part of the program
})

// Manifest returns the manifest of the bundled traces. It is shared: read only.
func Manifest() *replay.Manifest { return manifest() }

// Source returns the bundled trace of that name and its entry in the manifest.
func Source(name string) (replay.Source, *replay.Trace, error) {
	t, err := Manifest().Trace(name)
	if err != nil {
		return replay.Source{}, nil, err
	}
	data, err := fs.ReadFile(FS(), t.File)
	if err != nil {
		return replay.Source{}, nil, fmt.Errorf("bundled trace %q: %w", name, err)
	}
	return replay.Bytes(name, data), t, nil
}
