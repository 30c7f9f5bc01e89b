package workspace

import (
	"context"
	"strconv"

	"github.com/smtlark/smtlark/engine/ground/rng"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/search"
)

// maxModels is the number of models that a case remembers.
const maxModels = 16

// Models are the interpretations of a case that were asked for, and what solvers said when they were asked for some.
type Models struct {
	of        *AnalyzedCase
	known     map[string]*StoredModel // by how they were made
	questions Questions
	random    *rng.Source // never drawn from, only split
}

// Models returns the interpretations of the case.
func (c *AnalyzedCase) Models() *Models {
	c.models.of = c
	return &c.models
}

// RandomModel returns a random interpretation of the symbols that the case declares.
func (c *AnalyzedCase) RandomModel(r *rng.Source) *StoredModel {
	return NewModel(c.st, search.RandomModel(c.tc.Script, r))
}

// Assignment returns a random interpretation of the symbols that the case declares. It depends only on the case and the
// number.
func (c *AnalyzedCase) Assignment(number uint64) *StoredModel { return c.Models().assignment(number) }

// once asks about the case unless it was asked before, in a way that leaves nothing in its arena. The case that is
// being made depends on the answer.
func (m *Models) once(s *ThreadState, what string, by Answerer, ask func(subject *QuestionSubject) (string, error)) (*testcase.Answer, error) {
	c := m.of
	a, err := m.questions.Once(what, c.tc.Script, by, s.Given, func() (string, error) {
		clean := c.st.Clean()
		asserts, err := c.Asserts()
		if err != nil {
			return "", err
		}
		_, preamble := c.Undeclared(asserts)
		expect := c.tc.Expect
		unsat := len(expect) > 0 && expect[len(expect)-1] == smtlib.Unsat
		text, err := ask(&QuestionSubject{Script: c.tc.Script, Preamble: preamble, Asserts: asserts, Unsat: unsat})
		if err == nil && clean && c.gen == 0 {
			c.st.Release() // the terms of the question
		}
		return text, err
	})
	if err == nil {
		s.NoteAnswer(a)
	}
	return a, err
}

// By returns a model, found by a solver, of the case's assertions, or of their negation if they are unsatisfiable; nil
// if the solver finds none. A number above 0 changes some values of that model, always the same ones.
func (m *Models) By(ctx context.Context, s *ThreadState, by Answerer, number uint64) (*StoredModel, error) {
	a, err := m.once(s, "model", by, func(subject *QuestionSubject) (string, error) { return subject.Model(ctx, by, s.Models) })
	if err != nil || a.Text == "" {
		return nil, err
	}
	return m.remember(by.AskerName()+"#"+strconv.FormatUint(number, 10), func() *model.Model {
		found, err := modelreader.Parse(m.of.tc.Script, a.Text)
		if err != nil { // no model we understand: the same as none
			return nil
		}
		if number > 0 {
			search.Vary(m.of.tc.Script, found, m.stream().Split(number))
		}
		return found
	}), nil
}

// Core returns the assertions of a core that the solver finds; nil if it finds none.
func (m *Models) Core(ctx context.Context, s *ThreadState, by Answerer) ([]smt.Term, error) {
	asserts, err := m.of.Asserts()
	if err != nil {
		return nil, err
	}
	a, err := m.once(s, "core", by, func(subject *QuestionSubject) (string, error) { return subject.Core(ctx, by, s.Models) })
	if err != nil {
		return nil, err
	}
	return CoreOf(a.Text, asserts), nil
}

// assignment is AnalyzedCase.Assignment.
func (m *Models) assignment(number uint64) *StoredModel {
	return m.remember("#"+strconv.FormatUint(number, 10), func() *model.Model {
		return search.RandomModel(m.of.tc.Script, m.stream().Split(number))
	})
}

// remember returns the model that is remembered under a key, made when there is none or it is gone.
func (m *Models) remember(key string, make func() *model.Model) *StoredModel {
	if old := m.known[key]; old != nil && old.st.live(old.gen) {
		return old
	}
	c := m.of
	clean := c.st.Clean()
	found := make()
	if found == nil {
		return nil
	}
	if c.gen == 0 && clean {
		c.st.Pin()
	}
	out := NewModel(c.st, found)
	if m.known == nil {
		m.known = map[string]*StoredModel{}
	}
	if len(m.known) < maxModels || m.known[key] != nil {
		m.known[key] = out
	}
	return out
}

// stream returns the random numbers that follow from the case's text.
func (m *Models) stream() *rng.Source {
	if m.random == nil {
		m.random = rng.New(0).SplitString(m.of.tc.Script.Text())
	}
	return m.random
}
