package worker

import "github.com/smtlark/smtlark/engine/campaign/wire"

// print passes on what the campaign file prints.
func (w *worker) print(text string) {
	if text = w.prints.Pass(text); text != "" {
		_ = w.out.Line(&wire.Printed{Text: text}, true)
	}
}

// printsEnd begins the prints of another case.
func (w *worker) printsEnd(of string) {
	if text := w.prints.Over(of); text != "" {
		_ = w.out.Line(&wire.Printed{Text: text}, true)
	}
}
