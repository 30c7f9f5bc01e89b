package report

import (
	"encoding/json"
	"io"
)

// JSON writes the data of a report; docs/schema/report.json describes it.
func JSON(w io.Writer, d *Data) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}
