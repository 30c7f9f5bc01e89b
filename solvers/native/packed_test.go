package native

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smtlib"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/solvers"
)

// TestPackedMessages checks that unpacking reverses packing, and that the output of a damaged child gives an error or a
// message, never a panic.
func TestPackedMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.String(), 1, 4)
		q := &request{Op: "run", Trace: rapid.Bool().Draw(t, "trace"), Models: rapid.Bool().Draw(t, "models"), Cores: rapid.Bool().Draw(t, "cores"),
			Plain: rapid.Bool().Draw(t, "plain"), Shares: rapid.Bool().Draw(t, "shares"), Clock: rapid.Bool().Draw(t, "clock"),
			Wall: time.Duration(rapid.Int64Min(0).Draw(t, "wall")), Budget: time.Duration(rapid.Int64Min(0).Draw(t, "budget")),
			TimeLimit: time.Duration(rapid.Int64Min(0).Draw(t, "limit")), Resources: rapid.Uint64().Draw(t, "resources")}
		for _, text := range texts.Draw(t, "options") {
			q.Options = append(q.Options, setting2{Name: text, Value: text + "v"})
		}
		if when := rapid.MapOf(rapid.IntRange(0, 300), rapid.String()).Draw(t, "when"); len(when) > 0 {
			q.When = when
		}
		text := rapid.String().Draw(t, "text")
		body := append(packRequest(nil, q), text...)
		got, rest, err := parseRequest(body)
		require.NoError(t, err)
		require.Equal(t, q, got)
		require.Equal(t, text, string(rest))

		a := &reply{Values: texts.Draw(t, "values"), Class: solvers.Class(rapid.Uint8().Draw(t, "class")), Message: rapid.String().Draw(t, "message"),
			Stderr: rapid.String().Draw(t, "stderr"), Calls: rapid.Uint64().Draw(t, "calls"), Inside: time.Duration(rapid.Int64Min(0).Draw(t, "inside")),
			Last: rapid.Bool().Draw(t, "last"), Alone: rapid.Bool().Draw(t, "alone")}
		for _, text := range a.Values {
			answer := smtlib.Answer(len(text) % 4)
			a.Answers, a.Failed = append(a.Answers, answer), append(a.Failed, solvers.Failure{Message: text, Want: answer})
		}
		packed := packReply(nil, a)
		back, err := parseReply(packed)
		require.NoError(t, err)
		require.Equal(t, a, back)

		cut := rapid.IntRange(1, len(packed)-1).Draw(t, "cut")
		_, err = parseReply(packed[:cut])
		require.Error(t, err, "a reply that ends too early")
		_, err = parseReply(append(packed, 0))
		require.Error(t, err, "a reply that goes on")
		damaged := append([]byte{packedMark}, rapid.SliceOf(rapid.Byte()).Draw(t, "damaged")...)
		_, _ = parseReply(damaged)
		_, _, _ = parseRequest(damaged)
	})
}

// TestSolversOfTheirOwn: the first script of a child has one, and then one of every 33 of usual size; of small ones as
// many as 64 kB of text have.
func TestSolversOfTheirOwn(t *testing.T) {
	alone := func(runs, bytes int) (n int) {
		x := &sharedSolver{}
		for range runs {
			if _, _, shared := x.next(&request{Shares: true}, nil, bytes); !shared {
				n++
			}
		}
		return n
	}
	require.Equal(t, 1, alone(aloneEvery, 4000))
	require.Equal(t, 11, alone(1+10*aloneEvery, 4000))
	require.Equal(t, 11, alone(1+10*656, 100))
}
