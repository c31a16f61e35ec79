package bundled

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"vicinity/internal/replay"
)

// Every trace is the file that the manifest names, plays to its end, and has its
// expected values and licence with it; and there is no file besides.
func TestEveryFileIsThere(t *testing.T) {
	known := map[string]bool{"manifest.json": true}
	sums := hashes(t)
	for _, name := range Manifest().Names() {
		src, tr, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := replay.Scan(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := (replay.Stats{Rows: sum.Rows, Entities: sum.Entities, Ticks: sum.Ticks, PresentMax: sum.PresentMax}); got != tr.Stats {
			t.Errorf("%s: %+v, want %+v", name, got, tr.Stats)
		}
		for _, file := range []string{tr.File, tr.Expected.AOIFile, tr.Expected.NearestFile, tr.LicenceFile} {
			known[file] = true
			data, err := fs.ReadFile(FS(), file)
			if err != nil || len(data) == 0 {
				t.Errorf("%s: %s: %d bytes, %v", name, file, len(data), err)
			}
			if hash := sha256.Sum256(data); file == tr.File && hex.EncodeToString(hash[:]) != sums[name] {
				t.Errorf("%s: %s is not the file of the manifest", name, file)
			}
		}
	}
	err := fs.WalkDir(FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[path] {
			t.Errorf("%s is in the program, and nothing names it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hashes reads the member of the manifest that replay does not.
func hashes(t *testing.T) map[string]string {
	t.Helper()
	data, err := fs.ReadFile(FS(), "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Traces []struct{ Name, SHA256 string }
	}
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	sums := make(map[string]string)
	for _, tr := range m.Traces {
		sums[tr.Name] = tr.SHA256
	}
	return sums
}

func TestSource(t *testing.T) {
	if _, _, err := Source(Default); err != nil {
		t.Error(err)
	}
	_, _, err := Source("nowhere")
	if err == nil || !strings.Contains(err.Error(), "crowd-corridor, crowd-bottleneck, halite-match") {
		t.Errorf("unknown name: %v", err)
	}
}
