package target

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/ground/spelling"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// preflightWall bounds one question of Preflight.
const preflightWall = 10 * time.Second

// Preflight asks the solver a trivial question with the options and arguments that the campaign file sets. If the
// solver refuses one, the error names it and quotes the solver's message. Solvers continue after an unknown option, so
// a misspelt one would go unnoticed. Preflight returns nil for a solver that fails even without options.
func (s *Solver) Preflight(ctx context.Context) error {
	for _, m := range s.Members {
		if err := m.Preflight(ctx); err != nil {
			return err
		}
	}
	if len(s.Members) > 0 || len(s.Opt.SMTOptions)+len(s.Opt.Args) == 0 {
		return nil
	}
	all, args := s.Opt.SMTOptions, s.Opt.Args
	said := s.complaint(ctx, all, args)
	for _, o := range all {
		if probe := s.Found.Profile.OptionProbeText(o); probe != "" && s.Opt.Mode != solvers.Native && said == "" {
			if why := s.complaint(ctx, nil, []string{probe}); why != "" && ctx.Err() == nil {
				return fmt.Errorf("%s refuses the option %q with the value %q: %s", s.Found.Name, o.Name, o.Value, firstLine(why))
			}
		}
	}
	if err := ctx.Err(); err != nil { // an interrupted question does not count as acceptance
		return err
	}
	if said == "" || s.complaint(ctx, nil, nil) != "" {
		return ctx.Err()
	}
	for _, o := range all {
		if why := s.complaint(ctx, []rule.Setting{o}, nil); why != "" && ctx.Err() == nil {
			return fmt.Errorf("%s refuses the option %q with the value %q: %s", s.Found.Name, o.Name, o.Value, firstLine(why)+nearOption(o.Name, why))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(args) > 0 {
		if why := s.complaint(ctx, nil, args); why != "" {
			return fmt.Errorf("%s refuses the arguments %s: %s", s.Found.Name, strings.Join(args, " "), firstLine(why))
		}
	}
	var names []string
	for _, o := range all {
		names = append(names, o.Name)
	}
	return fmt.Errorf("%s refuses %s together: %s", s.Found.Name, strings.Join(append(names, args...), ", "), firstLine(said))
}

// complaint returns the solver's error message about the options, "" if it answers normally.
func (s *Solver) complaint(ctx context.Context, options []rule.Setting, args []string) string {
	plain := *s
	plain.Opt.SMTOptions, plain.Opt.Args = options, args
	plain.Opt.Limits.Wall = preflightWall
	mode := plain.Opt.Mode
	if plain.hasMode(solvers.Fresh) {
		mode = solvers.Fresh
	}
	t := plain.inMode(mode)
	defer t.Close()
	run := t.Run(ctx, &solvers.Query{Commands: []solvers.PrintedCommand{{Text: "(check-sat)", Reply: solvers.AnswerReply}}}, solvers.Limits{})
	for _, out := range []string{run.Stdout, run.Stderr, run.Message} {
		if text := errorText(out); text != "" {
			return "it says: " + text
		}
	}
	switch {
	case run.Class != solvers.OK && run.Message != "":
		return fmt.Sprintf("%v: %s", run.Class, run.Message)
	case run.Class != solvers.OK:
		return run.Class.String()
	case len(run.Answers) == 0 || run.Answers[0].String() == "none":
		return "it does not answer a trivial (check-sat)"
	}
	return ""
}

var (
	errorReply = pattern.Lazy(`\(error "(?:line \d+ column \d+: )?((?s:.*?))(?:"\)|$)`)
	refusal    = pattern.Lazy(`(?m)^unsupported$`)
)

// errorText returns the error message in an output, "" if there is none.
func errorText(out string) string {
	if m := errorReply().FindStringSubmatch(out); m != nil {
		return m[1]
	}
	if refusal().MatchString(out) {
		return "unsupported"
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) > 300 {
		line = strings.ToValidUTF8(line[:300], "") + " ..."
	}
	return line
}

func nearOption(name, said string) string {
	module, own := "", name // z3 lists the parameters of a module without its name
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		module, own = name[:dot+1], name[dot+1:]
	}
	if near := spelling.Nearest(own, learn.OptionsListed(said)); near != "" {
		near = module + near
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
