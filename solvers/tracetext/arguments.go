package tracetext

import (
	"fmt"
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
)

// Arguments are the arguments of one call of a trace, in text, with the sorts and terms that calls before it have
// made. Each method takes arguments from the left; its error says which one was missing or wrong.
type Arguments struct {
	Words []string // the arguments that were not taken yet
	Sorts map[string]smt.Sort
	Terms map[string]smt.Term

	// Known says what an id is that is neither a sort nor a term, "a function"; nil or "" means nothing.
	Known func(id string) string
}

func (r *Arguments) missingError(want, id string) error {
	if r.Known != nil {
		if what := r.Known(id); what != "" {
			return fmt.Errorf("%s is %s, not a %s", id, what, want)
		}
	}
	return fmt.Errorf("there is no %s %s", want, id)
}

// Word takes an argument as it is; what names it in errors.
func (r *Arguments) Word(what string) (string, error) {
	if len(r.Words) == 0 {
		return "", fmt.Errorf("%s is missing", what)
	}
	w := r.Words[0]
	r.Words = r.Words[1:]
	return w, nil
}

// Number takes a natural number.
func (r *Arguments) Number(what string) (int, error) {
	w, err := r.Word(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: %q is no number", what, w)
	}
	return n, nil
}

// Sort takes the id of a sort.
func (r *Arguments) Sort() (smt.Sort, error) {
	w, err := r.Word("a sort")
	if err != nil {
		return 0, err
	}
	s, ok := r.Sorts[w]
	if !ok {
		return 0, r.missingError("sort", w)
	}
	return s, nil
}

// Term takes the id of a term.
func (r *Arguments) Term() (smt.Term, error) {
	w, err := r.Word("a term")
	if err != nil {
		return 0, err
	}
	t, ok := r.Terms[w]
	if !ok {
		return 0, r.missingError("term", w)
	}
	return t, nil
}

// List takes a number and as many ids of terms.
func (r *Arguments) List() ([]smt.Term, error) {
	n, err := r.Number("the number of terms")
	if err != nil || n == 0 {
		return nil, err
	}
	ts := make([]smt.Term, 0, min(n, len(r.Words)))
	for range n {
		t, err := r.Term()
		if err != nil {
			return nil, err
		}
		ts = append(ts, t)
	}
	return ts, nil
}
