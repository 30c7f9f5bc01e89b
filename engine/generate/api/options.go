package api

import (
	"slices"
	"strconv"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/solvers/rule"
)

// OptionModel describes a solver's options: their types, and which do not go together. Refusals teach it (Learn).
type OptionModel struct {
	Specs  []rule.OptionSpec
	Expert bool // expert options are taken, too
	// Conflicts are names, or "NAME=VALUE"; the second may be an action that is not done while the first is true.
	Conflicts [][2]string
	Refused   map[string]bool         // "NAME=VALUE" that the solver refuses
	Needs     map[string]rule.Setting // "NAME=VALUE" that is taken only after another setting
	OneOf     []string                // names of options of which only one can be set, as in cvc5's safe mode
}

// Each slice of a model has sliceSize options and is used for sliceTurns turns in a row, since a new slice has to be
// asked about. There are sliceRounds different partitions into slices, so that options meet different others.
const (
	sliceSize   = 16
	sliceTurns  = 64
	sliceRounds = 4
)

// Slice returns the model of some of the options, with the known facts about them: the slice for a turn. Every slice
// has its turns before any slice has more.
func (m *OptionModel) Slice(turn uint64) *OptionModel {
	n := uint64(len(m.Specs)+sliceSize-1) / sliceSize
	if n < 2 {
		return m
	}
	turn /= sliceTurns
	out := *m
	out.Specs = nil
	order := slices.Clone(m.Specs)
	rng.New(turn/n%sliceRounds).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i := turn % n; i < uint64(len(order)); i += n {
		out.Specs = append(out.Specs, order[i])
	}
	return &out
}

// Standard returns the options that later calls need, without those left out.
func (c *WalkConfig) Standard() (out []string) {
	for _, o := range c.Machine.Options {
		if !c.Lacks(rule.Option.Of(o.Name)) {
			out = append(out, o.Name)
		}
	}
	return out
}

// setOption sets the options that later calls need, each with its probability, and then others.
func setOption(r *Walk) Outcome {
	m := r.Cfg.Options
	for _, o := range r.Cfg.Machine.Options {
		if _, decided := r.options[o.Name]; decided || r.Cfg.Lacks(rule.Option.Of(o.Name)) {
			continue
		}
		if !r.R.Chance(o.Probability) || m != nil && !m.fits(r.settings(), rule.Setting{Name: o.Name, Value: "true"}) {
			r.options[o.Name] = "" // not in this walk
			continue
		}
		r.setOption(o.Name, "true")
		return Done
	}
	if m == nil || len(m.Specs) == 0 {
		return Never
	}
	more := m.another(r.R, r.options)
	for _, x := range more {
		r.setOption(x.Name, x.Value)
	}
	return done(len(more) > 0)
}

// another draws an option besides the decided ones, preceded by the options that it needs; nil if it conflicts with
// them. The value "" marks an option that is not to be set.
func (m *OptionModel) another(r *rng.Source, decided map[string]string) []rule.Setting {
	s := &m.Specs[r.Intn(len(m.Specs))]
	if _, known := decided[s.Name]; known || s.Expert && !m.Expert {
		return nil
	}
	x := rule.Setting{Name: s.Name, Value: drawValue(s, r)}
	// Oracles ask for models whatever the case itself sets.
	before := append(settings(decided), rule.Setting{Name: "produce-models", Value: "true"})
	need, needs := m.Needs[x.Pair()]
	if !needs && s.With.Name != "" {
		need, needs = s.With, true
	}
	var out []rule.Setting
	if needs && decided[need.Name] == "" {
		if _, known := decided[need.Name]; known || !m.fits(before, need) || !m.fits(append(before, need), x) {
			return nil
		}
		out, before = append(out, need), append(before, need)
	}
	if !m.fits(before, x) {
		return nil
	}
	return append(out, x)
}

// Draw draws up to n options that a solver accepts together, with the options that they need, in order.
func (m *OptionModel) Draw(r *rng.Source, n int) (out []rule.Setting) {
	if len(m.Specs) == 0 {
		return nil
	}
	decided := map[string]string{}
	for range n {
		for _, x := range m.another(r, decided) {
			decided[x.Name] = x.Value
			out = append(out, x)
		}
	}
	return out
}

// settings are the options that are set, in no order.
func (w *solverState) settings() []rule.Setting { return settings(w.options) }

func settings(options map[string]string) (out []rule.Setting) {
	for name, value := range options {
		if value != "" {
			out = append(out, rule.Setting{Name: name, Value: value})
		}
	}
	return out
}

// drawValue chooses a value of an option.
func drawValue(o *rule.OptionSpec, r *rng.Source) string {
	switch o.Kind {
	case rule.Bool:
		return strconv.FormatBool(r.Bool())
	case rule.List:
		return o.Values[r.Intn(len(o.Values))]
	}
	return drawNumber(o.Lo, o.Hi, r)
}

// drawNumber chooses a number from lo to hi; those at the lower end come often.
func drawNumber(lo, hi int64, r *rng.Source) string {
	n := lo + int64(r.Uint64()%uint64(hi-lo+1))
	switch r.Intn(4) {
	case 0:
		n = lo
	case 1:
		n = min(hi, lo+int64(r.Intn(10)))
	}
	return strconv.FormatInt(n, 10)
}
