package native

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/language/meaning"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native/driver"
	"github.com/smtlark/smtlark/solvers/rule"
)

// unfit are options that option fuzzing does not set: limits, which the target sets; options for results beyond the
// answer, which a walk sets; and options that print, read or exit.
var unfit = []string{"produce-", "unsat_core", "model", "proof", "limit", "time", "memory", "rlimit", "thread",
	"nprocs", "verbos", "loglevel", "log", "dump", "display",
	"print", "output", "input", "trace", "debug", "lang", "help", "version", "copyright", "stat", "show-", "-show",
	"interactive", "incremental", "filename", "file",
	"ctrl_c", "exit", "segv", "auto_config", "write-", "check-", "safe-mode", "wf-checking", "dimacs", "engine", "parse",
	"color", "pp.", "vmt", "quiet", "resource"}

var optionCache sync.Map // by path of the library

// Options returns those options of the library that option fuzzing can set. An option is for experts if the library
// says so, or does not mark options that way. A number without bounds gets bounds of a small number. The library is
// asked once in the life of the process.
func Options(ctx context.Context, s *solvers.Solver) ([]rule.OptionSpec, error) {
	if known, ok := optionCache.Load(s.Library); ok {
		return known.([]rule.OptionSpec), nil
	}
	hello, err := Hello(ctx, s)
	if err != nil {
		return nil, err
	}
	var options []rule.OptionSpec
	for i := range hello.Options {
		if o, ok := specOf(&hello.Options[i]); ok {
			// Only cvc5 says which options are for experts; elsewhere the profile says which are not.
			o.Expert = o.Expert || s.Profile.Name != "cvc5"
			options = append(options, o)
		}
	}
	optionCache.Store(s.Library, options)
	return options, nil
}

// specOf describes an option; ok is false for one that is left alone.
func specOf(o *driver.OptionInfo) (spec rule.OptionSpec, ok bool) {
	changes := func(value string) bool { return meaning.Of(o.Name, value) != 0 }
	if meaning.Has(o.Name) && o.Kind != "choice" && (o.Kind != "bool" || changes("true") || changes("false")) {
		return spec, false
	}
	for _, part := range unfit {
		if strings.Contains(o.Name, part) {
			return spec, false
		}
	}
	spec = rule.OptionSpec{Name: o.Name, Expert: o.Expert}
	switch o.Kind {
	case "bool":
		spec.Kind = rule.Bool
		return spec, true
	case "number":
		spec.Kind, spec.Lo, spec.Hi = rule.Int, parseBound(o.Min, 0), parseBound(o.Max, 1000)
		return spec, spec.Lo <= spec.Hi
	case "choice":
		spec.Kind = rule.List
		for _, v := range o.Values {
			if v != "help" && !changes(v) && !strings.ContainsAny(v, ", \t") {
				spec.Values = append(spec.Values, v)
			}
		}
		return spec, len(spec.Values) > 1
	}
	return spec, false
}

// parseBound reads a bound and cuts it to 32 bits, since libraries allocate memory of that size.
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
