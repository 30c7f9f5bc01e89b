package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/campaign/target"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/process"
	"github.com/smtlark/smtlark/solvers/rule"
	script "github.com/smtlark/smtlark/starlark"
)

// called reports whether a name means a solver: the name is the solver's own, or that of its kind.
func called(s *solvers.Solver, name string) bool { return s.Name == name || s.Profile.Name == name }

// showLearned shows which features the solvers of a name support, and where this differs from their profiles. It uses
// the cache or asks the solvers; with anew, it always asks.
func showLearned(ctx context.Context, e *command.Env, found []*solvers.Solver, name string, anew bool) int {
	var fit []*solvers.Solver
	for _, s := range found {
		if s.Unusable == "" && called(s, name) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 { // a release that is used where it is named, or a path
		n, err := command.SolverName(name)
		if err != nil {
			return e.UsageError("solvers", "%v", err)
		}
		one, err := script.Supply().Named(ctx, n)
		if err != nil {
			return e.Fail(command.ExitSolver, "solvers", err)
		}
		fit = append(fit, one)
	}
	cache, code := memo.User(), command.ExitOK
	for _, s := range fit {
		one := &target.Solver{Found: s, Opt: process.TargetOptions{Mode: s.Modes()[0]}}
		learn := func() error { return target.LearnFacts(ctx, []*target.Solver{one}, cache, nil) }
		if anew {
			learn = func() error { return target.AskFacts(ctx, []*target.Solver{one}, cache) }
		}
		if err := learn(); err != nil {
			code = e.Fail(command.ExitSolver, "solvers", err)
			continue
		}
		if err := printLearned(e.Stdout, one); err != nil {
			return e.Fail(command.ExitDisk, "solvers", err)
		}
	}
	return code
}

// printLearned writes which features a solver supports, compared with its profile.
func printLearned(w io.Writer, s *target.Solver) error {
	var b strings.Builder
	f := s.Learned.Facts
	fmt.Fprintf(&b, "%s: what the build %s says it takes, held against stdlib/solvers/%s.star\n", s.Found.Name, s.Found.Build().Short(), s.Found.Profile.Name)
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&b, "  %s\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	said := func(list []solvers.Refused) (out []string) {
		for _, r := range list {
			line := r.Lack.String()
			if r.Message != "" {
				line += ": it says: " + r.Message
			}
			out = append(out, line)
		}
		return out
	}
	lines := func(list []rule.Lack) (out []string) {
		for _, l := range list {
			out = append(out, l.String())
		}
		return out
	}
	confirmed := slices.DeleteFunc(s.Found.Lacks(), func(l rule.Lack) bool { return slices.Contains(f.Takes, l) })
	section("the profile is right that it lacks, or says so and is not asked:", lines(confirmed))
	section("left out though it takes it (api_avoid):", lines(s.Found.Avoids()))
	section("the profile is wrong, it takes:", lines(f.Takes))
	section("the profile is wrong, it refuses:", said(f.Refuses))
	section("it dies of (kept as the first cases of a campaign):", said(f.Dies))
	section("refusals in words that the profile does not know:", f.Refusals)
	section("it does not answer in the time that it has for a question, and the profile counts:", said(f.Unanswered))
	if f.Unasked > 0 {
		fmt.Fprintf(&b, "  %d more questions would have been too many: the profile counts\n", f.Unasked)
	}
	if len(f.Takes)+len(f.Refuses)+len(f.Dies) == 0 {
		b.WriteString("  the profile agrees with it\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
