package meta_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/meta"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// recorder is a session that notes the calls it is made.
type recorder struct {
	a      *smt.Arena
	calls  []solvers.Call
	closed int
	err    error
}

func (r *recorder) Arena() *smt.Arena { return r.a }

func (r *recorder) Call(_ context.Context, c *solvers.Call) (solvers.Reply, error) {
	return solvers.OneByOne(c, func(c *solvers.Call) (solvers.Reply, error) {
		r.calls = append(r.calls, *c)
		return solvers.Reply{Text: "reply", Answer: smtlib.Sat}, r.err
	})
}

func (r *recorder) Close() (*solvers.Run, error) { r.closed++; return nil, nil }

// metas make meta sessions over two others, of which one may be unused.
var metas = map[string]func(t *testing.T, s, other solvers.Session) solvers.Session{
	"writer": func(t *testing.T, s, _ solvers.Session) solvers.Session {
		return meta.NewWriterFor(s, &strings.Builder{})
	},
	"tee": func(t *testing.T, s, _ solvers.Session) solvers.Session {
		x, err := meta.NewTee(s, &strings.Builder{})
		require.NoError(t, err)
		return x
	},
	"checked": func(_ *testing.T, s, _ solvers.Session) solvers.Session { return meta.NewChecked(s, nil) },
	"cross":   func(_ *testing.T, s, other solvers.Session) solvers.Session { return meta.NewCross(other, s) },
}

// TestEverythingIsForwarded: every call reaches the sessions below as it is, with its seed, and in a batch all of its
// commands do.
func TestEverythingIsForwarded(t *testing.T) {
	const text = `(set-option :a b)(set-logic ALL)(declare-datatype U ((c)))(define-fun p () Bool true)(declare-sort V 0)
(push 2)(assert p)(check-sat-assuming (p))(get-model)(get-value (p))(get-unsat-core)(get-unsat-assumptions)
(get-info :name)(get-difficulty)(pop 1)(reset-assertions)(reset)`
	for kind, make := range metas {
		a := smt.NewArena()
		script, err := smtlib.Parse("s", []byte(text), a)
		require.NoError(t, err)
		p := a.Const(script.Commands[3].Symbols[0])
		calls := []solvers.Call{
			{Kind: solvers.CallMakeSort, Sort: smt.SortBool},
			{Kind: solvers.CallMakeTerm, Term: p},
			{Kind: solvers.CallTransfer, Args: []smt.Term{p}},
		}
		calls = append(calls, solvers.TraceOf(script).Calls...)
		batch := solvers.CommandCall(smtlib.CheckCommand(nil))
		batch.Before = script.Commands[5:7]
		calls = append(calls, batch)
		for i := range calls {
			c := &calls[i]
			c.Seed = uint64(i + 1)
			below, other := &recorder{a: a}, &recorder{a: a}
			s := make(t, below, other)
			require.Same(t, a, s.Arena())
			reply, err := s.Call(t.Context(), c)
			require.NoError(t, err, "%s: %s", kind, c.CommandName())
			require.Len(t, below.calls, 1+len(c.Before), kind)
			for k := range c.Before {
				require.Equal(t, c.Before[k], below.calls[k].Command)
			}
			got, want := below.calls[len(c.Before)], *c
			got.Before, want.Before = nil, nil
			require.Equal(t, want, got, "%s: %s", kind, c.CommandName())
			if c.Due() == solvers.AnswerReply {
				require.Equal(t, smtlib.Sat, reply.Answer)
			}
			if kind == "cross" {
				require.Equal(t, below.calls, other.calls)
			}
			_, err = s.Close()
			require.NoError(t, err)
			require.Equal(t, 1, below.closed)
		}
	}
}

// TestWhatIsLackingIsSaid checks that refusals of the session below are passed on.
func TestWhatIsLackingIsSaid(t *testing.T) {
	for kind, make := range metas {
		a := smt.NewArena()
		below := &recorder{a: a, err: solvers.ErrUnsupported("it")}
		s := make(t, below, below)
		p := a.Const(a.Declare("p", nil, smt.SortBool))
		for _, c := range []smtlib.Command{
			{Kind: smtlib.CmdGetValue, Terms: []smt.Term{p}}, {Kind: smtlib.CmdGetUnsatCore}, {Kind: smtlib.CmdReset},
		} {
			_, err := solvers.Say(t.Context(), s, c)
			require.Equal(t, solvers.Unsupported, solvers.ClassOf(err), kind)
		}
	}
}

// TestTransferBelow: each session below takes terms over from the one in its own place.
func TestTransferBelow(t *testing.T) {
	a := smt.NewArena()
	one, two := &recorder{a: a}, &recorder{a: a}
	source := meta.NewCross(one, two)
	transfer := solvers.Call{Kind: solvers.CallTransfer, Source: source}
	_, err := meta.NewCross(two, one).Call(t.Context(), &transfer)
	require.NoError(t, err)
	require.Same(t, one, two.calls[0].Source)
	require.Same(t, two, one.calls[0].Source)
	_, err = meta.NewChecked(one, nil).Call(t.Context(), &transfer)
	require.NoError(t, err)
	require.Same(t, source, one.calls[1].Source, "another number of them: made anew")
}

// TestTraceHasSeeds: a tee's trace replays the choices that a library's wrapper made, and transferred terms are made.
func TestTraceHasSeeds(t *testing.T) {
	a := smt.NewArena()
	var b strings.Builder
	s, err := meta.NewTee(&recorder{a: a}, &b)
	require.NoError(t, err)
	f := a.Declare("p", nil, smt.SortBool)
	transfer := solvers.Call{Kind: solvers.CallTransfer, Args: []smt.Term{a.Not(a.Const(f))}}
	for _, c := range []solvers.Call{solvers.CommandCall(smtlib.DeclareCommand(a, f)), transfer} {
		c.Seed = 0x2a
		_, err := s.Call(t.Context(), &c)
		require.NoError(t, err)
	}
	back, err := tracetext.Read([]byte(b.String()), nil)
	require.NoError(t, err, b.String())
	require.Equal(t, uint64(0x2a), back.Calls[0].Seed, b.String())
	require.Contains(t, b.String(), "mk-term not", b.String())
}
