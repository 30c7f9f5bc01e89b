package reduce

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
)

// TestWithoutNames: names of dropped assertions go from partitions, and with the last one the partition.
func TestWithoutNames(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"(get-interpolants A (and B |c d|))", "(get-interpolants |c d|)"},
		{"(get-interpolants (and A B) |c d|)", "(get-interpolants |c d|)"},
		{"(get-interpolants (and A |c d| |c d|) B)", "(get-interpolants (and |c d| |c d|))"},
		{"(get-interpolants |c d| (B) A)", "(get-interpolants |c d|)"},
		{"(get-interpolants |c d|)", "(get-interpolants |c d|)"},
	} {
		s, err := smtlib.Parse("", []byte("(assert (! true :named A))(assert (! true :named B))(assert (! true :named |c d|))"+test.text), smt.NewArena())
		require.NoError(t, err)
		keep := []bool{false, false, true, true}
		kept := withoutNames(s.Arena, s.Commands, keep, s.WithCommands(s.Commands[2:]).Commands)
		require.Equal(t, test.want, kept[1].Text)
	}
}
