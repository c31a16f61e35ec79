package replay

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vicinity/internal/replay/datatest"
)

const goodManifest = `{
 "format": "ignored",
 "traces": [
  {"name": "a", "file": "traces/a.csv.gz", "unit_m": 0.00390625, "tick_seconds": 0.04,
   "kinds": ["ship", "yard"], "teams": [], "stats": {"ticks": 7, "entities": 3, "rows": 20},
   "expected": {"enter_radius_units": 512, "leave_margin_units": 128, "nearest_k": 16}},
  {"name": "b", "file": "b.csv", "unit_m": 1}
 ]
}`

func TestParseManifest(t *testing.T) {
	m, err := ParseManifest("m.json", []byte(goodManifest))
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Trace("a")
	if err != nil {
		t.Fatal(err)
	}
	if a.Unit() != -8 || a.File != "traces/a.csv.gz" || a.TickSeconds != 0.04 || len(a.Kinds) != 2 ||
		a.Stats.Ticks != 7 || a.Stats.Entities != 3 || a.Stats.Rows != 20 ||
		a.Expected.EnterRadiusUnits != 512 || a.Expected.LeaveMarginUnits != 128 || a.Expected.NearestK != 16 {
		t.Errorf("got %+v", a)
	}
	_, err = m.Trace("c")
	if err == nil || err.Error() != `m.json: no trace "c", there is a, b` {
		t.Errorf("unknown trace: %v", err)
	}
}

func TestParseManifestFaults(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(goodManifest, old, new, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", "m.json: line 1, column 1: "},
		"cut":             {goodManifest[:100], "m.json: line 4, column "},
		"syntax":          {change(`"file": "b.csv"`, `"file" "b.csv"`), "m.json: line 7, column "},
		"wrong type":      {change(`"tick_seconds": 0.04`, `"tick_seconds": "fast"`), "m.json: line 4, column "},
		"no traces":       {`{"traces": []}`, "lists no trace"},
		"no name":         {change(`"name": "a", `, ""), `trace 1 (""): replay: bad manifest: name is missing`},
		"no file":         {change(`"file": "b.csv", `, ""), "file is missing"},
		"twice":           {change(`"name": "b"`, `"name": "a"`), "it is there twice"},
		"no unit":         {change(`, "unit_m": 1`, ""), "unit_m: unit of 0 m"},
		"odd unit":        {change(`"unit_m": 1`, `"unit_m": 0.1`), "unit_m: unit of 0.1 m"},
		"negative radius": {change(`: 512`, `: -512`), "enter_radius_units -512"},
		"radius too long": {change(`: 512`, `: 1073741800`), "at most 1073741823 together"},
		"negative k":      {change(`: 16`, `: -16`), "nearest_k is -16"},
	} {
		_, err := ParseManifest("m.json", []byte(c.text))
		if !errors.Is(err, ErrManifest) || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "m.json: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want ErrManifest with %q", name, err, c.want)
		}
	}
}

// What the manifest says about the recorded traces is what Scan finds.
func TestScanAgreesWithManifest(t *testing.T) {
	dir := datatest.Dir(t)
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseManifest("manifest.json", data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Traces {
		tr := &m.Traces[i]
		src, err := File(filepath.Join(dir, filepath.FromSlash(tr.File)))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Scan(src)
		if err != nil {
			t.Errorf("%s: %v", tr.Name, err)
			continue
		}
		got := Stats{sum.Rows, sum.Entities, sum.Ticks, sum.PresentMax}
		if got != tr.Stats {
			t.Errorf("%s: %+v, want %+v", tr.Name, got, tr.Stats)
		}
		if sum.MaxID != uint64(sum.Entities-1) {
			t.Errorf("%s: largest id %d of %d entities", tr.Name, sum.MaxID, sum.Entities)
		}
	}
}
