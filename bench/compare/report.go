package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Report is all that one run measured.
type Report struct {
	Command string   `json:"command"`
	Machine Machine  `json:"machine"`
	Peers   []string `json:"peers"` // with their versions
	Missing []string `json:"missing,omitempty"`
	Rows    []Row    `json:"rows"`
}

// printRatios prints a line of each peer of each row: how many times as long as ours
// it takes.
func (r *Report) printRatios(w io.Writer) {
	for i := range r.Rows {
		row := &r.Rows[i]
		for j := 1; j < len(row.Timings); j++ {
			fmt.Fprintf(w, "ratio %s/%s %.2f\n", row.Timings[j].Peer, row.Name, row.Ratio(j))
		}
	}
}

// printTable prints all as a Markdown table.
func (r *Report) printTable(w io.Writer) {
	fmt.Fprint(w, "| measured | peer | ratio | ns | least - most | per | setting |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for i := range r.Rows {
		row := &r.Rows[i]
		for j, t := range row.Timings {
			fmt.Fprintf(w, "| %s | %s | %.2f | %.1f | %.1f - %.1f | %s | %s |\n",
				row.Name, t.Peer, row.Ratio(j), t.Median, t.Least, t.Most, row.Per, t.Setting)
		}
	}
}

// write writes all as JSON.
func (r *Report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
