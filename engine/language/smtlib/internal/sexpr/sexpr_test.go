package sexpr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// tokens are the parts of the texts in these tests, among them parentheses within strings, doubled quotes, comments and
// non-ASCII characters.
var tokens = []string{"(", ")", "(", ")", " ", "\n", "\t", "x", "12", "#xff", ":named", `"a"`, `"("`, `"a""b)"`, "|y z|", "|(|", "|;|", "; )\n", ";\n", `"é"`, "+"}

// text draws a text that is a list, or nearly one.
func text(t *rapid.T) string {
	return "(" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 24).Draw(t, "tokens"), "")
}

// TestParsedAgain checks that text that is read, written and read again is the same, with one blank between tokens.
func TestParsedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := text(t)
		exprs, err := sexpr.Parse(given)
		if err != nil {
			require.Equal(t, given, sexpr.OneLine(given), "what cannot be read stays as it is")
			return
		}
		line := sexpr.OneLine(given)
		again, err := sexpr.Parse(line)
		require.NoError(t, err, line)
		require.Equal(t, len(exprs), len(again))
		for i := range exprs {
			require.Equal(t, exprs[i].String(), again[i].String())
		}
		require.Equal(t, line, sexpr.OneLine(line))
		if !strings.Contains(given, "|") && !strings.Contains(given, `"`) {
			require.NotContains(t, line, "\n")
		}
	})
}

// TestEndInPieces: the end of a list is found in the same place however the text is cut, and it is where the reader
// ends.
func TestEndInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := []byte(text(t))
		end := sexpr.End(given)
		var f sexpr.EndFinder
		found, at := 0, 0
		for at < len(given) && found == 0 {
			n := rapid.IntRange(1, 5).Draw(t, "piece")
			piece := given[at:min(at+n, len(given))]
			if k := f.Find(piece); k > 0 {
				found = at + k
			}
			at += len(piece)
		}
		require.Equal(t, end, found)
		if end == 0 {
			_, err := sexpr.Parse(string(given))
			require.Error(t, err, "a list without an end")
			return
		}
		exprs, err := sexpr.Parse(string(given[:end]))
		require.NoError(t, err)
		require.Len(t, exprs, 1)
	})
}

// TestExpressions checks heads, symbols and offsets of parsed expressions.
func TestExpressions(t *testing.T) {
	exprs, err := sexpr.Parse("; first\n(f |a b| (g) \"s\")\nx ()")
	require.NoError(t, err)
	require.Len(t, exprs, 3)
	list := &exprs[0]
	require.True(t, list.IsList())
	require.Equal(t, 8, list.Offset)
	require.Equal(t, "f", list.Head())
	require.Equal(t, "a b", list.List[1].Symbol())
	require.Equal(t, "", list.List[3].Symbol(), "a string is no symbol")
	require.Equal(t, `(f |a b| (g) "s")`, list.String())
	require.False(t, exprs[1].IsList())
	require.Equal(t, "x", exprs[1].Symbol())
	require.True(t, exprs[2].IsList())
	require.Equal(t, "", exprs[2].Head())
}

// TestValuesOfInformation: line ends in quoted symbols become blanks there, and nowhere else.
func TestValuesOfInformation(t *testing.T) {
	require.Equal(t, "|one two|", sexpr.OneLineInfo("|one\r\ntwo|"))
	require.Equal(t, "(a |b c|)", sexpr.OneLineInfo("(a\n |b\nc|)"))
	require.Equal(t, "(a |b\nc|)", sexpr.OneLine("(a\n |b\nc|)"))
	require.Equal(t, "plain", sexpr.OneLineInfo("plain"))
}

// TestErrors: an error has its place, its line and a caret, also in a long line and in a part of a larger text.
func TestErrors(t *testing.T) {
	var l sexpr.Lexer
	l.SetText("file.smt2", []byte("(one)\n(two \"three\n)"))
	err := l.ErrorAt(11, "something is wrong")
	require.Equal(t, "file.smt2:2:6: something is wrong\n  (two \"three\n       ^", err.Error())
	require.Equal(t, sexpr.Pos{Line: 2, Col: 6, Offset: 11}, l.Position(11))

	moved := err.Moved(sexpr.Pos{Line: 10, Col: 5})
	require.Equal(t, [2]int{11, 6}, [2]int{moved.Line, moved.Col}, "the column of a later line stays")
	first := l.ErrorAt(1, "wrong").Moved(sexpr.Pos{Line: 10, Col: 5})
	require.Equal(t, [2]int{10, 6}, [2]int{first.Line, first.Col})

	long := strings.Repeat("x", 500)
	l.SetText("file.smt2", []byte(long+"HERE"+long))
	lines := strings.Split(l.ErrorAt(500, "wrong").Error(), "\n")
	require.Len(t, lines, 3)
	require.Less(t, len(lines[1]), 200)
	// The caret stands under the place; the cut is marked by one character of three bytes.
	caret := strings.IndexByte(lines[2], '^')
	require.Equal(t, "HERE", string([]rune(lines[1])[caret:caret+4]))

	for _, text := range []string{"(a", ")", `"a`, "|a", "(a))", "é"} {
		_, err := sexpr.Parse(text)
		require.Error(t, err, text)
	}
}
