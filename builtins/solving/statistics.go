package solving

import (
	"bytes"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/coverage"
)

// statisticsOf reads the numbers that a solver told of its own work.
func statisticsOf(r *solvers.Run) starlark.Value {
	out := &starlark.Dict{}
	add := func(name, number string) {
		n := numberOf(number)
		if name != "" && n != nil {
			_ = out.SetKey(starlark.String(name), n) // a string can be hashed, and the dict is ours
		}
	}
	for _, reply := range append(printedLists(r.Stdout), r.Values...) {
		if !isStatistics(reply) {
			continue
		}
		for name, number := range coverage.Counters([]byte(reply)) {
			add(name, string(number))
		}
	}
	// cvc5 --stats: lines of "name = 7".
	for line := range strings.Lines(r.Stderr) {
		if name, number, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && !strings.ContainsAny(name, " \t") {
			add(name, number)
		}
	}
	return out
}

// isStatistics reports whether a list begins with a keyword, as no value, model or core does.
func isStatistics(reply string) bool {
	inside, ok := strings.CutPrefix(strings.TrimSpace(reply), "(")
	return ok && strings.HasPrefix(strings.TrimSpace(inside), ":")
}

// printedLists returns the lists that begin a line of the output.
func printedLists(stdout string) []string {
	var out []string
	rest := []byte(stdout)
	for len(rest) > 0 {
		if rest[0] == '(' {
			if n := smtlib.SExprEnd(rest); n > 0 {
				out = append(out, string(rest[:n]))
				rest = rest[n:]
				continue
			}
		}
		_, rest, _ = bytes.Cut(rest, []byte{'\n'})
	}
	return out
}

// numberOf reads a number, with the unit of a time behind it or without; nil where it is none.
func numberOf(text string) starlark.Value {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "ms"), "s")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return starlark.MakeInt64(n)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return starlark.Float(x)
	}
	return nil
}
