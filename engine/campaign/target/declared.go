package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/learn"
	"github.com/smtlark/smtlark/solvers/rule"
)

// singles caches DeclaredSettings by their targets, for the lifetime of the process.
var singles = struct {
	sync.Mutex
	m map[string]*DeclaredSettings
}{m: map[string]*DeclaredSettings{}}

// DeclaredSettings are the settings of all options that some targets declare, one at a time.
type DeclaredSettings struct {
	*api.Singles
	targets []*Solver
	mu      sync.Mutex
	replies map[int]groupReply // by the number of a setting that the targets were asked about
}

// groupReply is the reply of targets to a group of settings.
type groupReply struct {
	Refused []int    `json:"refused,omitempty"` // settings that some target rejects even alone
	Beside  []string `json:"beside,omitempty"`  // options of walks and probes that fail together with the accepted settings
}

// Singles returns the settings of all options that some targets declare, one at a time: those of the first program
// among them that lists its options, else of the first library, and those of the profile. A program is asked once; the
// user's cache folder keeps its reply. For targets of several products, which have no options in common, the result is
// nil.
func Singles(ctx context.Context, targets []*Solver, cache *memo.Cache) (*DeclaredSettings, error) {
	targets = Plain(targets)
	if len(targets) == 0 || slices.ContainsFunc(targets, func(s *Solver) bool { return s.configured() != targets[0].configured() }) {
		return nil, nil
	}
	key := keyOf(targets, (*Solver).SameAs)
	singles.Lock()
	defer singles.Unlock()
	if known := singles.m[key]; known != nil {
		return known, nil
	}
	var specs []rule.OptionSpec
	var err error
	if i := slices.IndexFunc(targets, func(s *Solver) bool { return learn.ListsOptions(s.Found) }); i >= 0 {
		specs, err = declaredOptions(ctx, targets[i], cache)
	} else if i := slices.IndexFunc(targets, func(s *Solver) bool { return s.Found.Library != "" }); i >= 0 {
		specs, err = LibraryOptions(targets[i].Found)
	}
	if err != nil {
		return nil, fmt.Errorf("asking which options there are: %w", err)
	}
	specs = slices.Concat(specs, targets[0].Found.Profile.APIOptions)
	out := &DeclaredSettings{Singles: api.NewSingles(targets[0].configured(), specs), targets: targets, replies: map[int]groupReply{}}
	singles.m[key] = out
	return out, nil
}

// configured returns the product together with the options set on this solver.
func (s *Solver) configured() string {
	return strings.Join(append([]string{s.Product()}, s.Options()...), " ")
}

// declaredOptions returns the options that a program declares, each with all values but its default.
func declaredOptions(ctx context.Context, s *Solver, cache *memo.Cache) (specs []rule.OptionSpec, err error) {
	text, err := cache.Once("declared options 3\x00"+s.Stamp(), func() (string, error) {
		list, err := learn.DeclaredOptions(ctx, s.Found)
		if err != nil {
			return "", err
		}
		if !learn.ListsInKnownWords(s.Found) {
			list = append(list, learn.OptionsSaid(s.saysOfOptions(ctx))...)
		}
		text, err := json.Marshal(list)
		return string(text), err
	})
	if err != nil {
		return nil, err
	}
	var list []learn.DeclaredOption
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("what was remembered of options cannot be read, delete the cache folder: %w", err)
	}
	for i := range list {
		spec := list[i].Spec()
		spec.Kind = rule.List
		if spec.Values = list[i].Others(); len(spec.Values) > 0 {
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// saysOfOptions returns the solver's replies to the commands that ask for its options.
func (s *Solver) saysOfOptions(ctx context.Context) string {
	plain := *s
	plain.Opt.Limits.Wall = preflightWall
	t := plain.inMode(solvers.Fresh)
	defer t.Close()
	var text strings.Builder
	for _, command := range learn.AskForOptions { // each command in its own run, as the first error may end a solver
		run := t.Run(ctx, &solvers.Query{Commands: []solvers.PrintedCommand{{Text: command, Reply: solvers.ValueReply}}}, solvers.Limits{})
		text.WriteString(run.Stdout + "\n" + run.Stderr + "\n")
	}
	return text.String()
}

// Takes reports whether all targets accept a setting, and which options of walks and probes conflict with it. The
// targets are asked about the setting's whole group, and the user's cache folder keeps the replies.
func (d *DeclaredSettings) Takes(ctx context.Context, number int, cache *memo.Cache) (taken bool, without []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	reply, asked := d.replies[number]
	if !asked {
		group := d.Group(number)
		key := "taken settings 4\x00" + keyOf(d.targets, (*Solver).Stamp)
		for _, n := range group {
			key += fmt.Sprint(d.Set(n))
		}
		text, err := cache.Once(key, func() (string, error) {
			reply, err := d.ask(ctx, group)
			if err != nil {
				return "", err
			}
			text, err := json.Marshal(reply)
			return string(text), err
		})
		if err != nil {
			return false, nil, fmt.Errorf("asking which options are taken: %w", err)
		}
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			return false, nil, fmt.Errorf("what was remembered of options cannot be read, delete the cache folder: %w", err)
		}
		for _, n := range group {
			d.replies[n] = reply
		}
	}
	return !slices.Contains(reply.Refused, number), reply.Beside, nil
}

// walkOptions are the options that walks and probes set because their commands need them, in addition to options that
// the actions of profiles need. Some solvers reject other options next to them.
var walkOptions = []string{"produce-unsat-assumptions", "produce-unsat-cores", "produce-proofs", "produce-assignments", "produce-assertions", "global-declarations"}

// ask asks about a group of settings, with the first of the optionProbes that the targets accept without options as the
// script. If they accept no probe, no setting counts as refused.
func (d *DeclaredSettings) ask(ctx context.Context, group []int) (reply groupReply, err error) {
	interviews, closeAll := interviewsOf(d.targets)
	defer closeAll()
	probe, err := probeTaken(ctx, interviews)
	if err != nil || probe == "" {
		return reply, err
	}
	takes := func(numbers []int, options ...string) bool {
		set := []rule.Setting{{Name: "produce-models", Value: "true"}} // oracles ask for models
		for _, name := range options {
			set = append(set, rule.Setting{Name: name, Value: "true"})
		}
		for _, n := range numbers {
			set = append(set, d.Set(n)...)
		}
		ok, failed := allTake(ctx, interviews, set, probe)
		err = errors.Join(err, failed)
		return ok || err != nil
	}
	// Most settings are accepted, even all together. Otherwise, bisecting the group finds those that are rejected
	// alone.
	learn.Halve(group, func(part []int) ([]int, bool) { return part, !takes(part) }, func(n int) { reply.Refused = append(reply.Refused, n) })
	rest := slices.DeleteFunc(slices.Clone(group), func(n int) bool { return slices.Contains(reply.Refused, n) })
	options := slices.Clone(walkOptions)
	for _, s := range d.targets {
		for _, a := range s.Found.Profile.APIActions {
			if a.Option != "" && !slices.Contains(options, a.Option) {
				options = append(options, a.Option)
			}
		}
	}
	options = slices.DeleteFunc(options, func(name string) bool { return !takes(nil, name) }) // the others are in no case
	if len(rest) == 0 || takes(rest, options...) {
		return reply, err
	}
	for _, name := range options {
		if !takes(rest, name) {
			reply.Beside = append(reply.Beside, name)
		}
	}
	return reply, err
}
