package cache

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/smtlark/smtlark/engine/language/normal"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/engine/semantics/linear"
)

// Question is a query: whether all assertions can be true together.
type Question struct {
	Logic string
	// Options are the options that can change the answer, and anything else that must match, such as the solvers that
	// answered. Their order must always be the same.
	Options []string
	Asserts []smt.Term // including assumptions: closed Bool terms of the client's arena
}

// HitKind says how a hit was derived.
type HitKind string

// The kinds of hits, see the package.
const (
	Repeated HitKind = "repeated"
	Core     HitKind = "core"
	Model    HitKind = "model"
	Repaired HitKind = "repaired"
	Memory   HitKind = "memory"
	Disk     HitKind = "disk"
)

// Entry is the answer to a question.
type Entry struct {
	Answer smtlib.Answer // sat or unsat
	// Model satisfies the question, if the answer is sat. Symbols that it does not interpret have default values, as
	// with eval.Evaluator.SetCompletion. It must not be changed.
	Model *model.Model
	// Core are conjuncts of the question that are unsatisfiable together, if the answer is unsat.
	Core []smt.Term
	Kind HitKind
}

// Client asks a cache about the terms of one arena. When terms of the arena are released, it forgets its data about
// them. Like its arena, it is used by one goroutine at a time.
type Client struct {
	cache    *Cache
	a        *smt.Arena
	epoch    uint64
	contexts map[string]*nearby
	forms    map[uint64][]formOf
	models   models
	bare     *eval.Evaluator // over an empty model; nil: not needed yet
	refuter  *linear.Refuter // nil: none was needed yet
	// read has values of constants, indexed by their numbers in the text of the answer; see readAnswer.
	read map[*answer][]value.Value
}

// formOf has the forms of slices that were seen before.
type formOf struct {
	conjuncts []smt.Term
	form      normal.Form
	ok        bool
}

// Bounds of the numbers of forms, read answers and contexts (logics with options) that a client keeps.
const (
	maxForms    = 1 << 12
	maxRead     = 1 << 10
	maxReadSize = 1 << 12 // bytes of an answer
	maxContexts = 64
)

// Client returns a client for the terms of an arena.
func (c *Cache) Client(a *smt.Arena) *Client {
	x := &Client{cache: c, a: a}
	x.forget()
	return x
}

// forget drops the known facts about terms.
func (c *Client) forget() {
	c.epoch = c.a.Epoch()
	c.contexts, c.forms, c.models = map[string]*nearby{}, map[uint64][]formOf{}, models{a: c.a}
	c.read, c.bare, c.refuter = map[*answer][]value.Value{}, nil, nil
}

// Released must be called right after terms and symbols of the arena were dropped. It forgets the data about terms. It
// keeps a model only if it just gives values to constants that still exist and whose sorts have no names.
func (c *Client) Released() {
	before := c.models.list
	c.forget()
	for _, x := range before[:min(len(before), maxTried)] {
		if isPlain(x.model) {
			c.models.list = append(c.models.list, &earlier{model: x.model})
		}
	}
}

// begin returns the conjuncts of a question, also as a set, and the known facts about sets in its context.
func (c *Client) begin(q *Question) (near *nearby, conjuncts, set []smt.Term, context []byte) {
	if c.a.Epoch() != c.epoch {
		c.forget()
	}
	context = contextOf(q)
	near = c.contexts[string(context)]
	if near == nil {
		if len(c.contexts) >= maxContexts {
			clear(c.contexts)
		}
		near = newNearby()
		c.contexts[string(context)] = near
	}
	conjuncts = normal.Conjuncts(c.a, q.Asserts)
	return near, conjuncts, sorted(conjuncts), context
}

func sorted(ts []smt.Term) []smt.Term {
	out := slices.Clone(ts)
	slices.Sort(out)
	return out
}

// Look returns the answer to a question, if it is known.
func (c *Client) Look(q *Question) (Entry, bool) {
	near, conjuncts, set, context := c.begin(q)
	if e, ok := near.repeated(set); ok {
		c.cache.count(func(n *Counts) *int64 { return &n.Repeated })
		return e, true
	}
	if core := near.coreIn(set); core != nil {
		c.cache.count(func(n *Counts) *int64 { return &n.Core })
		e := Entry{Answer: smtlib.Unsat, Core: core, Kind: Core}
		near.note(set, e)
		return e, true
	}
	if m := c.models.satisfying(set); m != nil {
		c.cache.count(func(n *Counts) *int64 { return &n.Model })
		e := Entry{Answer: smtlib.Sat, Model: m, Kind: Model}
		near.note(set, e)
		return e, true
	}
	return c.lookForms(near, conjuncts, set, context)
}

// falseIn returns a conjunct that is false in every interpretation, because the evaluator computes false without any
// model; 0 if there is none. It looks at each conjunct only once.
func (c *Client) falseIn(near *nearby, conjuncts []smt.Term) smt.Term {
	for i := len(conjuncts) - 1; i >= 0; i-- {
		t := conjuncts[i]
		if near.computed[t] {
			continue
		}
		if len(near.computed) >= maxSets {
			clear(near.computed)
		}
		near.computed[t] = true
		if c.bare == nil {
			c.bare = eval.New(c.a, nil)
		}
		c.bare.Limits.Steps, c.bare.Limits.Instances = trySteps, tryInstances
		if c.bare.Truth(t) == value.False {
			return t
		}
	}
	return 0
}

// refute returns conjuncts that contradict each other by evaluation or linear arithmetic; nil if it finds none.
func (c *Client) refute(near *nearby, conjuncts []smt.Term) []smt.Term {
	if never := c.falseIn(near, conjuncts); never != 0 {
		return []smt.Term{never}
	}
	if c.refuter == nil {
		c.refuter = linear.NewRefuter(c.a)
	}
	return c.refuter.Conflict(conjuncts)
}

// lookForms looks for the slices of a query among the answers that all clients share.
func (c *Client) lookForms(near *nearby, conjuncts, set []smt.Term, context []byte) (Entry, bool) {
	parts, ok := c.formsOf(conjuncts)
	if !ok {
		c.cache.count(func(n *Counts) *int64 { return &n.Unwritten })
		return Entry{}, false
	}
	e := Entry{Kind: Memory}
	found, asked := make([]*answer, len(parts)), 0
	take := func(x *answer, onDisk bool) *answer {
		if onDisk {
			e.Kind = Disk
		}
		return x
	}
	for i := range parts {
		key, text := questionOf(context, parts[i:i+1])
		if found[i] = take(c.cache.find(key, text)); found[i] == nil {
			continue
		}
		if asked++; found[i].unsat {
			return c.hit(near, set, Entry{Answer: smtlib.Unsat, Core: parts[i].Asserts, Kind: e.Kind}), true
		}
	}
	if len(parts) > 1 { // the answer may be known for all slices together only
		key, text := questionOf(context, parts)
		if take(c.cache.find(key, text)) != nil {
			return c.hit(near, set, Entry{Answer: smtlib.Unsat, Core: conjuncts, Kind: e.Kind}), true
		}
	}
	if asked < len(parts) {
		if core := c.refute(near, conjuncts); core != nil {
			c.cache.count(func(n *Counts) *int64 { return &n.Core })
			e := Entry{Answer: smtlib.Unsat, Core: core, Kind: Core}
			near.note(set, e)
			near.addCore(e.Core)
			return e, true
		}
		if m := c.models.repaired(set); m != nil {
			c.cache.count(func(n *Counts) *int64 { return &n.Repaired })
			e = Entry{Answer: smtlib.Sat, Model: m, Kind: Repaired}
			near.note(set, e)
			c.keepModel(conjuncts, m, context)
			return e, true
		}
		c.cache.count(func(n *Counts) *int64 { return &n.New })
		return Entry{}, false
	}
	m := model.New(c.a)
	for i := range parts {
		if !c.readAnswer(m, &parts[i], found[i]) {
			m = nil
			break
		}
	}
	if m == nil || c.models.confirm(m, set) != value.True {
		c.cache.count(func(n *Counts) *int64 { return &n.Unproven })
		return Entry{}, false
	}
	e.Answer, e.Model = smtlib.Sat, m
	return c.hit(near, set, e), true
}

// hit notes an answer that came from the normal form.
func (c *Client) hit(near *nearby, set []smt.Term, e Entry) Entry {
	if e.Kind == Disk {
		c.cache.count(func(n *Counts) *int64 { return &n.Disk })
	} else {
		c.cache.count(func(n *Counts) *int64 { return &n.Memory })
	}
	near.note(set, e)
	if e.Answer == smtlib.Unsat {
		near.addCore(sorted(e.Core))
	}
	return e
}

// Keep keeps the answer to a question: sat with a model, unsat with a core if there is one. A core that is not part of
// the question is ignored. Answers that the package cannot trust are not kept.
func (c *Client) Keep(q *Question, a smtlib.Answer, m *model.Model, core []smt.Term) {
	near, conjuncts, set, context := c.begin(q)
	kept := false
	switch {
	case a == smtlib.Unsat:
		kept = true
		c.keepUnsat(near, conjuncts, set, core, context)
	case a == smtlib.Sat && m != nil:
		if kept = c.models.confirm(m, set) == value.True; kept {
			near.note(set, Entry{Answer: smtlib.Sat, Model: m})
			c.keepModel(conjuncts, m, context)
		}
	}
	c.cache.count(func(n *Counts) *int64 {
		if kept {
			return &n.Kept
		}
		return &n.Refused
	})
}

// keepUnsat records that the slice with the core is unsatisfiable. If the core is not known, or a model satisfies it,
// keepUnsat records only that all slices together are unsatisfiable.
func (c *Client) keepUnsat(near *nearby, conjuncts, set, core []smt.Term, context []byte) {
	small := sorted(normal.Conjuncts(c.a, core))
	if len(small) == 0 || !isSubset(small, set) || c.models.satisfying(small) != nil || c.models.repaired(small) != nil {
		small = set
	}
	near.addCore(small)
	near.note(set, Entry{Answer: smtlib.Unsat, Core: small})
	parts, ok := c.formsOf(conjuncts)
	if !ok {
		return
	}
	for i := range parts {
		if len(small) < len(set) && isSubset(small, sorted(parts[i].Asserts)) {
			parts = parts[i : i+1]
			break
		}
	}
	key, text := questionOf(context, parts)
	c.cache.keep(&answer{key: key, text: text, unsat: true})
}

// keepModel keeps each slice with its part of the model.
func (c *Client) keepModel(conjuncts []smt.Term, m *model.Model, context []byte) {
	parts, ok := c.formsOf(conjuncts)
	if !ok {
		return
	}
	for i := range parts {
		key, text := questionOf(context, parts[i:i+1])
		if x, _ := c.cache.find(key, text); x != nil {
			continue
		}
		x := &answer{key: key, text: text, names: namesOf(c.a, &parts[i])}
		x.model = textOf(m, &parts[i])
		c.cache.keep(x)
	}
}

// formsOf returns the forms of the slices of a query.
func (c *Client) formsOf(conjuncts []smt.Term) (parts []normal.Form, ok bool) {
	for _, group := range normal.Apart(c.a, conjuncts) {
		f := c.formOf(group)
		if !f.ok {
			return nil, false
		}
		parts = append(parts, f.form)
	}
	return parts, true
}

func (c *Client) formOf(group []smt.Term) *formOf {
	h := hashOf(group)
	for i := range c.forms[h] {
		if f := &c.forms[h][i]; slices.Equal(f.conjuncts, group) {
			return f
		}
	}
	if len(c.forms) > maxForms {
		clear(c.forms)
	}
	f := formOf{conjuncts: group}
	f.form, f.ok = normal.FormOf(c.a, group)
	c.forms[h] = append(c.forms[h], f)
	return &c.forms[h][len(c.forms[h])-1]
}

// questionOf returns the question about slices together, in any order, and its key.
func questionOf(context []byte, parts []normal.Form) (normal.Key, []byte) {
	ordered := parts
	if len(parts) > 1 {
		ordered = slices.Clone(parts)
		slices.SortFunc(ordered, func(x, y normal.Form) int {
			return cmp.Or(cmp.Compare(x.Key[0], y.Key[0]), cmp.Compare(x.Key[1], y.Key[1]), slices.Compare(x.Text, y.Text))
		})
	}
	key := normal.Key{22, 22}.WithText(string(context))
	text := binary.AppendUvarint(slices.Clip(context), uint64(len(parts)))
	for i := range ordered {
		key = key.WithKey(ordered[i].Key)
		text = append(binary.AppendUvarint(text, uint64(len(ordered[i].Text))), ordered[i].Text...)
	}
	return key, text
}

// confirm reports whether a model makes a set of conjuncts true, and keeps the model if it does.
func (m *models) confirm(x *model.Model, set []smt.Term) value.Truth {
	ev := m.evaluator(x)
	truth := ev.AllTrue(set)
	if truth == value.True {
		m.add(x, set, ev)
	} else {
		m.spare = ev
	}
	return truth
}
