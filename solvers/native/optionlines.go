package native

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
)

// unfit are options that option fuzzing leaves alone: limits, which the target sets itself; what asks for more than an
// answer, which a walk sets itself; and what prints, reads, or ends.
var unfit = []string{"produce-", "unsat_core", "model", "proof", "limit", "time", "memory", "rlimit", "thread", "nprocs", "verbos", "loglevel", "log", "dump", "display",
	"print", "output", "input", "trace", "debug", "lang", "help", "version", "copyright", "stat", "show-", "-show", "interactive", "incremental", "filename", "file",
	"ctrl_c", "exit", "segv", "auto_config", "write-", "check-", "safe-mode", "wf-checking", "dimacs", "engine", "parse", "color", "pp.", "vmt", "quiet", "resource"}

var optionCache sync.Map // by path of the library

// OptionLines returns the options that the library says it has and option fuzzing can set, in the form of the
// profile's api_options: "NAME bool", "NAME int LO HI" or "NAME list A,B", and "expert" behind it where the library
// calls it so or has no such word. A number without bounds gets those of a small one. The library is asked once in
// the life of the process.
func OptionLines(ctx context.Context, s *solvers.Solver) ([]string, error) {
	if lines, ok := optionCache.Load(s.Library); ok {
		return lines.([]string), nil
	}
	hello, err := Hello(ctx, s)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, o := range hello.Options {
		// Only cvc5 says which options are for experts; elsewhere the profile says which are not.
		o.Expert = o.Expert || s.Profile.Name != "cvc5"
		if line := optionLine(&o); line != "" {
			lines = append(lines, line)
		}
	}
	optionCache.Store(s.Library, lines)
	return lines, nil
}

// optionLine describes an option; "" for one that is left alone.
func optionLine(o *driver.OptionInfo) string {
	changes := func(value string) bool { return meaning.Of(o.Name, value) != 0 }
	if meaning.Has(o.Name) && o.Kind != "choice" && (o.Kind != "bool" || changes("true") || changes("false")) {
		return ""
	}
	for _, part := range unfit {
		if strings.Contains(o.Name, part) {
			return ""
		}
	}
	line := ""
	switch o.Kind {
	case "bool":
		line = o.Name + " bool"
	case "number":
		lo, hi := parseBound(o.Min, 0), parseBound(o.Max, 1000)
		if hi < lo {
			return ""
		}
		line = fmt.Sprintf("%s int %d %d", o.Name, lo, hi)
	case "choice":
		var values []string
		for _, v := range o.Values {
			if v != "help" && !changes(v) && !strings.ContainsAny(v, ", \t") {
				values = append(values, v)
			}
		}
		if len(values) < 2 {
			return ""
		}
		line = o.Name + " list " + strings.Join(values, ",")
	default:
		return ""
	}
	if o.Expert {
		line += " expert"
	}
	return line
}

// parseBound reads a bound; one beyond 32 bits is cut, since what a library does with it is to allocate.
func parseBound(text string, otherwise int64) int64 {
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return max(n, math.MinInt32)
}
