package value_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestErrorsOfCorpus: what an author reads of seeds that do not fit.
func TestErrorsOfCorpus(t *testing.T) {
	scripttest.Errors(t, map[string]string{
		`corpus.files()`:                              `corpus.files: missing argument: a folder, a pattern or a file`,
		`corpus.files(1)`:                             `corpus.files: argument 1: got int 1, want str or a list of str`,
		`corpus.files("/etc")`:                        `/etc lies outside of the campaign's folders`,
		`corpus.files("nowhere/*.smt2")`:              `nowhere/*.smt2: no such file or folder: nowhere`,
		`corpus.files("t.star", max_size = "1x")`:     `for parameter max_size: "1x" is no size: want bytes, or a number with KB, MB or GB, above 0`,
		`corpus.texts([1])`:                           `for parameter texts: element 0: got int 1, want str`,
		`corpus.texts({"a": 1})`:                      `for parameter texts: value of key "a": got int 1, want str`,
		`corpus.texts("(check-sat)")`:                 `is ["(check-sat)"] meant?`,
		`corpus.bundled(status = "maybe")`:            `for parameter status: got "maybe", want "sat", "unsat", "unknown" or None`,
		`corpus.bundled(logic = 3)`:                   `for parameter logic: got int 3, want str, a list of str or None`,
		`corpus.bundled().filter(staus = "sat")`:      `corpus.filter: unexpected keyword argument 'staus' (did you mean 'status'?)`,
		`corpus.bundled().trust("perhaps")`:           `for parameter answer: got "perhaps", want "sat" or "unsat"`,
		`corpus.bundled(logic = "NOPE").pick(rng(1))`: `corpus.pick: there are no seeds in the bundled seeds with the logic and status asked for`,
	})
}
