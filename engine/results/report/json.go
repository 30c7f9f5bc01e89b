package report

import (
	"encoding/json"
	"io"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// JSON writes the data of a report; docs/schema/report.json describes it.
func JSON(w io.Writer, d *Data) error {
	enc := json.NewEncoder(display.JSONWriter(w))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}
