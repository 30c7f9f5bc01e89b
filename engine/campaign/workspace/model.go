package workspace

import (
	"fmt"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// StoredModel is an interpretation of constants and functions. A model that was read from a file has no store
// until it is used with a case.
type StoredModel struct {
	text string // of a model that is not bound to a case
	st   *TermStore
	gen  uint32
	m    *model.Model
	ev   *eval.Evaluator // nil: the store's

	verdicts []verdict // of permanent Bool terms
}

// verdict tells the truth value of a term in a model, as far as it was asked about.
type verdict uint8

const (
	notAsked verdict = iota
	unknown
	isFalse
	isTrue
	incomplete    // unknown, since the model lacks an interpretation
	extendable    // incomplete, but true if default values are used for missing interpretations
	notExtendable // incomplete, and not known to be true then
)

// newEvaluator returns an evaluator that gives up early: a technique values many terms and can do without the few whose
// quantifiers take long. The limits count work, so they are the same everywhere.
func newEvaluator(a *smt.Arena, m *model.Model) *eval.Evaluator {
	ev := eval.New(a, m)
	ev.Limits = eval.QuickLimits()
	return ev
}

// NewModel wraps a model of terms of the store. It lives as long as the terms that are now in the store.
func NewModel(st *TermStore, m *model.Model) *StoredModel {
	if !st.Clean() || st.frozen {
		// An evaluator treats all terms that exist in the arena at its creation as permanent, so it must not outlive
		// the model.
		return &StoredModel{st: st, gen: st.gen, m: m, ev: newEvaluator(st.Arena, m)}
	}
	if st.ev == nil {
		st.ev = newEvaluator(st.Arena, m)
	}
	return &StoredModel{st: st, m: m}
}

// evaluator returns an evaluator of the model.
func (m *StoredModel) evaluator() *eval.Evaluator {
	if m.ev != nil {
		return m.ev
	}
	if m.st.ev.Model() != m.m {
		m.st.ev.Reset(m.m)
	}
	return m.st.ev
}

// TextModel returns a model that is read when a case is known.
func TextModel(text string) *StoredModel { return &StoredModel{text: text} }

// In returns the model for the terms of a case.
func (m *StoredModel) In(c *AnalyzedCase) (*model.Model, error) {
	if m.st == c.st {
		if !m.st.live(m.gen) {
			return nil, &overError{"model", m.st.Label}
		}
		return m.m, nil
	}
	text, err := m.Text()
	if err != nil {
		return nil, err
	}
	return modelreader.Parse(c.tc.Script, text)
}

// Text returns the model as define-funs.
func (m *StoredModel) Text() (string, error) {
	if m.st == nil {
		return m.text, nil
	}
	if !m.st.live(m.gen) {
		return "", &overError{"model", m.st.Label}
	}
	var text string
	m.st.Walk(func(*smt.Arena) { text = m.m.Text() })
	return text, nil
}

func (m *StoredModel) bound() error {
	switch {
	case m.st == nil:
		return fmt.Errorf("this model was read from a file and knows no declarations yet; bind it with case.read_model(text) or give it to reproduce(...)")
	case !m.st.live(m.gen):
		return &overError{"model", m.st.Label}
	case m.st.frozen:
		return fmt.Errorf("this model is a global of a module; make it inside the function that uses it")
	}
	return nil
}

// Eval returns the value of a term.
func (m *StoredModel) Eval(t TermRef) (value.Value, error) {
	if err := m.bound(); err != nil {
		return value.Value{}, err
	}
	id, err := t.In(m.st)
	if err != nil {
		return value.Value{}, err
	}
	v := m.evaluator().ValueAlone(id)
	if err := v.Err(); err != nil {
		return value.Value{}, err
	}
	return v, nil
}

// TruthOf returns the truth value of a Bool term; Unknown when it is not known.
func (m *StoredModel) TruthOf(t TermRef) (value.Truth, error) {
	if err := m.bound(); err != nil {
		return value.Unknown, err
	}
	id, err := t.In(m.st)
	if err != nil {
		return value.Unknown, err
	}
	if a := m.st.Arena; a.Sort(id) != smt.SortBool {
		return value.Unknown, fmt.Errorf("%s has sort %s, want Bool", a.Brief(id), a.SortString(a.Sort(id)))
	}
	return m.truthOf(id), nil
}

// truthOf is TruthOf for a Bool term of the model's store, remembered for permanent terms.
func (m *StoredModel) truthOf(id smt.Term) value.Truth {
	switch m.ask(id) {
	case isTrue:
		return value.True
	case isFalse:
		return value.False
	}
	return value.Unknown
}

// ask returns the verdict about a Bool term of the model's store. The question stands alone, so that the answer is the
// same whatever was asked before, and is asked once about a permanent term.
func (m *StoredModel) ask(id smt.Term) verdict {
	k := m.remembered(id)
	if *k == notAsked {
		switch v := m.evaluator().ValueAlone(id); {
		case v.IsTrue():
			*k = isTrue
		case v.IsFalse():
			*k = isFalse
		case v.IsMissing():
			*k = incomplete
		default:
			*k = unknown
		}
	}
	return *k
}

// remembered returns the place of the verdict about a term; that of a term that is not permanent is kept nowhere.
func (m *StoredModel) remembered(id smt.Term) *verdict {
	if id >= m.st.pinned {
		return new(verdict)
	}
	if int(id) >= len(m.verdicts) {
		m.verdicts = append(m.verdicts, make([]verdict, int(m.st.pinned)-len(m.verdicts))...)
	}
	return &m.verdicts[id]
}

// askCompleted is ask. If the model lacks an interpretation, it also tests whether default values make the term true.
func (m *StoredModel) askCompleted(id smt.Term) verdict {
	k := m.ask(id)
	if k != incomplete {
		return k
	}
	ev := m.evaluator()
	ev.SetCompletion(true)
	defer ev.SetCompletion(false)
	if k = notExtendable; ev.ValueAlone(id).IsTrue() {
		k = extendable
	}
	*m.remembered(id) = k
	return k
}

// Satisfies returns whether the model satisfies the assertions of a case at its last check-sat, as eval.CheckModel
// does. It evaluates each assertion separately, since those shared with the seed were evaluated before. After an
// unknown assertion only a false one matters, and no search is made for it.
func (m *StoredModel) Satisfies(c *AnalyzedCase) (value.Truth, error) {
	if m.st != c.st {
		given, err := m.In(c)
		if err != nil {
			return value.Unknown, err
		}
		m = NewModel(c.st, given)
	}
	if err := m.bound(); err != nil {
		return value.Unknown, err
	}
	tc, err := c.TestCase()
	if err != nil {
		return value.Unknown, err
	}
	asserts := tc.Script.Asserts()
	for i, t := range asserts {
		switch m.askCompleted(t) {
		case isTrue, extendable:
		case isFalse:
			return value.False, nil
		default:
			return m.anyFalse(asserts[i+1:]), nil
		}
	}
	return value.True, nil
}

// anyFalse returns False if a term is false and that takes no search, else Unknown.
func (m *StoredModel) anyFalse(terms []smt.Term) value.Truth {
	ev := m.evaluator()
	steps := ev.Limits.Steps
	ev.Limits.Steps = 0
	defer func() { ev.Limits.Steps = steps }()
	for _, t := range terms {
		if k := *m.remembered(t); k == isFalse || k == notAsked && ev.ValueAlone(t).IsFalse() {
			return value.False
		}
	}
	return value.Unknown
}

// String returns the model as solvers print it.
func (m *StoredModel) String() string {
	text, err := m.Text()
	if err != nil {
		return "<model of an earlier case>"
	}
	return text
}

// Literal returns the value of a term as a term. An error says why it has none.
func (m *StoredModel) Literal(t TermRef) (TermRef, error) {
	v, err := m.Eval(t)
	if err != nil {
		return TermRef{}, err
	}
	lit, err := value.ToTerm(m.st.Arena, v)
	if err != nil {
		return TermRef{}, err
	}
	return m.st.Term(lit), nil
}

// Freeze makes the store of the model permanently read-only.
func (m *StoredModel) Freeze() {
	if m.st != nil {
		m.st.Freeze()
	}
}
