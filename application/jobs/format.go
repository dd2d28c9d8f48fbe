package jobs

import (
	"encoding/csv"
	"strings"
)

// Format is how the rows of an export are written: one JSON object each when empty.
type Format string

// CSV are comma-separated lines, the first with the names of the columns.
const CSV Format = "csv"

// ContentType returns the media type of the rows.
func (f Format) ContentType() string {
	if f == CSV {
		return "text/csv; charset=utf-8; header=present"
	}
	return "application/x-ndjson"
}

// CSVLine writes a line without its end. What a spreadsheet would take for a formula gets
// an apostrophe in front (OWASP, CSV injection).
func CSVLine(cells []string) string {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		if safe[i] = cell; cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
			safe[i] = "'" + cell
		}
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	if err := w.Write(safe); err != nil {
		return "" // a strings.Builder takes everything
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}
