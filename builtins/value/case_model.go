package value

import (
	"context"
	"fmt"
	"strconv"

	"github.com/smtlark/smtlark/engine/campaign/account"
	"github.com/smtlark/smtlark/engine/eval/model"
	"github.com/smtlark/smtlark/engine/eval/modelreader"
	"github.com/smtlark/smtlark/engine/eval/search"
	"github.com/smtlark/smtlark/engine/rng"
	"github.com/smtlark/smtlark/engine/smt"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/solvers/learn"
)

// maxModels is the number of models that a case remembers.
const maxModels = 16

// askOnce returns what ask says to a question about the case, which is put once: what a solver gives, or what was recorded of
// it. The case that is being made depends on it.
func (c *Case) askOnce(s *Session, what string, by Asker, ask func() (string, error)) (*testcase.Answer, error) {
	name := what + " by " + by.AskerName()
	if a := c.answers[name]; a != nil {
		s.NoteAnswer(a)
		return a, nil
	}
	script := c.tc.Script.Text()
	var a *testcase.Answer
	if s.Given != nil {
		if a = s.Given.Find(what, by.AskerName(), script); a == nil {
			return nil, fmt.Errorf("the recorded answers have no %s of %s: they belong to another case, or the seed is another one", what, c.tc.Script.Name)
		}
	} else {
		clean := c.st.Clean()
		text, err := ask()
		if err != nil {
			return nil, err
		}
		if clean && c.gen == 0 {
			c.st.Release() // what the question was made of
		}
		a = testcase.NewAnswer(what, c.tc.Script.Name, by.AskerName(), script, text)
	}
	if c.answers == nil {
		c.answers = map[string]*testcase.Answer{}
	}
	c.answers[name] = a
	s.NoteAnswer(a)
	return a, nil
}

// ModelBy returns a model of what the case asserts, or of its negation if that is unsatisfiable, found by a solver; nil
// if the solver finds none. With a number above 0 it is that model with some values changed, the same ones every time.
func (c *Case) ModelBy(ctx context.Context, s *Session, by Asker, number uint64) (*Model, error) {
	a, err := c.askOnce(s, "model", by, func() (string, error) { return c.askModel(ctx, by, s.Models) })
	if err != nil {
		return nil, err
	}
	if a.Text == "" {
		return nil, nil
	}
	return c.remember(by.AskerName()+"#"+strconv.FormatUint(number, 10), func() *model.Model {
		m, err := modelreader.Parse(c.tc.Script, a.Text)
		if err != nil { // no model we understand: the same as none
			return nil
		}
		if number > 0 {
			c.vary(m, number)
		}
		return m
	}), nil
}

// Assignment returns a random interpretation of what the case declares that follows from the case and the number.
func (c *Case) Assignment(number uint64) *Model {
	return c.remember("#"+strconv.FormatUint(number, 10), func() *model.Model {
		return search.RandomModel(c.tc.Script, c.stream().Split(number))
	})
}

// remember returns the model that is remembered under a key, made when there is none or it is gone.
func (c *Case) remember(key string, make func() *model.Model) *Model {
	if m := c.models[key]; m != nil && m.st.live(m.gen) {
		return m
	}
	clean := c.st.Clean()
	em := make()
	if em == nil {
		return nil
	}
	if c.gen == 0 && clean {
		c.st.Pin()
	}
	m := NewModel(c.st, em)
	if c.models == nil {
		c.models = map[string]*Model{}
	}
	if len(c.models) < maxModels || c.models[key] != nil {
		c.models[key] = m
	}
	return m
}

// stream returns the random numbers that follow from the case's text.
func (c *Case) stream() *rng.Source {
	if c.random == nil {
		c.random = rng.New(0).SplitString(c.tc.Script.Text())
	}
	return c.random
}

// askModel returns the text of a model; "" if there is none.
func (c *Case) askModel(ctx context.Context, by Asker, cache *learn.Cache) (string, error) {
	key := by.AskerName() + "\n" + c.tc.Script.Text()
	if text, ok := cache.Get(key); ok {
		return text, nil
	}
	defer account.Begin(ctx, account.Models, c.tc.Script.Name)()
	asserts, err := c.Asserts()
	if err != nil {
		return "", err
	}
	answer, text, err := answerWithModel(ctx, by, c.WithAsserts(asserts, smtlib.None, nil).tc.Script)
	if err == nil && answer == smtlib.Unsat {
		no := c.st.Arena.Not(c.st.Arena.And(asserts...))
		answer, text, err = answerWithModel(ctx, by, c.WithAsserts([]smt.Term{no}, smtlib.None, nil).tc.Script)
	}
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	switch answer {
	case smtlib.Sat:
		return cache.Put(key, text), nil
	}
	// No model, or no time: remembered too, so that all workers make the same cases, and nobody waits again.
	return cache.Put(key, ""), nil
}

// vary changes about a quarter of a model's values, by random numbers that follow from the case and the number.
func (c *Case) vary(m *model.Model, number uint64) {
	r := c.stream().Split(number)
	other := search.RandomModel(c.tc.Script, r)
	for _, f := range other.Symbols() {
		if !r.Chance(0.25) {
			continue
		}
		if v, ok := other.Value(f); ok {
			m.Set(f, v)
		} else if fn := other.Func(f); fn != nil {
			m.SetFunc(f, fn)
		}
	}
}
