package campaign

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/builtins/solving"
	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Replay is the part of the interpreter that replaying a finding needs.
type Replay struct {
	// Load runs the campaign file of a finding, given by path, with the values of --set, and returns the declarations
	// of the file.
	Load func(ctx context.Context, file string, set map[string]string) (*Loaded, error)
	// Programs take the place of solvers, see campaign.Options; At makes another program, or library, into the solver of a
	// target.
	Programs []string
	At       func(ctx context.Context, s *solving.SolverValue, path string) (*solving.SolverValue, error)
}

// Loaded is a campaign file that was run for its functions only.
type Loaded struct {
	Spec   *Spec
	Thread func(name string, patient bool) registry.Thread // that calls them
}

// ReplayKey is the slot of what reproduce(...) needs.
var ReplayKey = registry.NewKey[*Replay]("the replay of a finding", "reproduce(...) is called at the top level of a file that `smtlark repro` is given")

// reproduction is a call of reproduce(...).
type reproduction struct {
	campaign.Reproduction // without the targets and oracles, which MakePlan makes

	target  *solving.SolverValue
	against *solving.SolverValue
	decider oracleMaker // of one that an oracle of the engine decides, else nil
	loaded  *Loaded     // of one that the campaign file decides, else nil
	targets []*solving.SolverValue
}

// replace puts the programs of the command line in place of solvers. NAME=PATH replaces the solver of the target NAME;
// PATH replaces the first solver. A solver that is not on this machine is an error if nothing replaces it.
func (r *Replay) replace(ctx context.Context, list ...**solving.SolverValue) (err error) {
	for _, p := range r.Programs {
		at, path := list[0], p
		for _, s := range list {
			if rest, ok := strings.CutPrefix(p, (*s).Name()+"="); ok {
				at, path = s, rest
				break
			}
		}
		if path == "" {
			continue
		}
		if *at, err = r.At(ctx, *at, path); err != nil {
			return err
		}
	}
	for _, s := range list {
		if (*s).Missing != nil {
			return (*s).Missing
		}
	}
	return nil
}

// setCampaign reads the arguments of reproduce(...) that say which oracle or action of a campaign file shows the
// finding.
func (r *reproduction) setCampaign(c *registry.Call, a *reproduceArgs, replay *Replay) error {
	const told = "the campaign file tells what is wrong: say verdict = {...} and targets = [...]"
	switch {
	case a.Target != nil:
		return c.Errorf(&a.Target, told)
	case a.Got != "":
		return c.Errorf(&a.Got, told)
	case a.Against != nil:
		return c.Errorf(&a.Against, told)
	}
	verdict, err := verdictArg(c, a)
	if err != nil {
		return err
	}
	r.targets = slices.Clone(a.Targets)
	if len(r.targets) == 0 {
		return c.Errorf(&a.Targets, "there is no target")
	}
	// A program given without a name replaces the target that made the mistake.
	wrong := max(0, slices.IndexFunc(r.targets, func(s *solving.SolverValue) bool { return slices.Contains(verdict.Targets, s.Name()) }))
	list := []**solving.SolverValue{&r.targets[wrong]}
	for i := range r.targets {
		if i != wrong {
			list = append(list, &r.targets[i])
		}
	}
	if err := replay.replace(registry.Context(c.Thread), list...); err != nil {
		return err
	}
	r.target = r.targets[wrong]
	settings := map[string]string{}
	for _, kv := range a.Settings.Items() {
		name, _ := starlark.AsString(kv[0])
		settings[name], _ = starlark.AsString(kv[1])
	}
	if r.loaded, err = replay.Load(registry.Context(c.Thread), a.Campaign, settings); err != nil {
		return err
	}
	spec := r.loaded.Spec
	if spec.Called == "" {
		return c.Errorf(&a.Campaign, "%s calls no campaign(...)", a.Campaign)
	}
	// Expectations of scripted actions are checked without an oracle.
	known := []string{oracle.KindExpectation}
	for _, o := range spec.oracles() {
		known = append(known, o.Name)
	}
	if !slices.Contains(known, verdict.Oracle) {
		return c.Errorf(&a.Verdict, "%s has no oracle %q; there are %s", a.Campaign, verdict.Oracle, strings.Join(known, ", "))
	}
	r.Verdict = verdict
	return nil
}

// verdictArg reads the verdict of the oracle from the argument.
func verdictArg(c *registry.Call, a *reproduceArgs) (*oracle.Verdict, error) {
	v := &oracle.Verdict{Check: -1}
	if a.Verdict == nil {
		return nil, c.Errorf(&a.Verdict, "give the verdict that the oracle must give again: verdict = {...}")
	}
	texts := map[string]*string{"oracle": &v.Oracle, "kind": &v.Kind, "group": &v.Group, "message": &v.Message}
	lists := map[string]*[]string{"targets": &v.Targets, "against": &v.Against}
	answers := map[string]*smtlib.Answer{"got": &v.Got, "want": &v.Want}
	for _, kv := range a.Verdict.Items() {
		key, _ := starlark.AsString(kv[0])
		text, isText := starlark.AsString(kv[1])
		var ok bool
		switch {
		case texts[key] != nil:
			*texts[key], ok = text, isText
		case lists[key] != nil:
			*lists[key], ok = stringsOf(kv[1])
		case answers[key] != nil:
			*answers[key], ok = smtlib.ParseAnswer(text)
		case key == "class":
			v.Class, ok = solvers.ParseClass(text)
		}
		if !ok {
			return nil, c.Errorf(&a.Verdict, "%s: %s is not one of oracle, kind, group, message (texts), targets, against (lists of names), got, want (answers), class", key, kv[1])
		}
	}
	v.Kind = cmp.Or(v.Kind, oracle.KindCustom)
	if len(v.Targets) > 0 {
		v.Target = v.Targets[0]
	}
	return v, nil
}

// stringsOf returns the elements of a list of strings.
func stringsOf(v starlark.Value) (out []string, ok bool) {
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil, false
	}
	for x := range starlark.Elements(list) {
		text, isText := starlark.AsString(x)
		if !isText {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

// openReplay makes the targets and oracles of a reproduction that the campaign file decides.
func (m *maker) openReplay(ctx context.Context, r *reproduction) (out campaign.Reproduction, err error) {
	spec := *r.loaded.Spec
	spec.Targets, spec.Seeds, spec.ReduceReferences = r.targets, nil, starlark.False
	plan, err := spec.MakePlan(ctx, Host{Thread: r.loaded.Thread, Seed: m.h.Seed})
	if err != nil {
		return out, err
	}
	m.plans = append(m.plans, plan.Close)
	m.targets.Keep(plan.Targets...)
	out = r.Reproduction
	out.Oracles, out.Targets = plan.Oracles, plan.Targets
	out.Limits = out.Limits.Or(plan.Limits)
	out.Target = plan.Targets[slices.Index(r.targets, r.target)]
	return out, nil
}
