package smtlib

import (
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/stretchr/testify/require"
)

// FuzzParse: any text is an error with a place or a script whose text reads as the same script.
func FuzzParse(f *testing.F) {
	for _, line := range strings.Split(commandCases, "\n") {
		f.Add([]byte(line))
	}
	for _, c := range termCases {
		for _, line := range strings.Split(c.terms, "\n") {
			f.Add([]byte(c.decls + "(get-value (" + strings.TrimSpace(line) + "))"))
		}
	}
	for _, line := range strings.Split(errorCases, "\n") {
		f.Add([]byte(errorDecls + line))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		a := smt.NewArena()
		s, err := Parse("fuzz", src, a)
		if err != nil {
			require.IsType(t, &Error{}, err)
			require.NotEmpty(t, err.Error())
			return
		}
		text := s.Text()
		again, err := Parse("printed", []byte(text), a)
		require.NoError(t, err, text)
		sameScript(t, a, s, again, text)
		require.Equal(t, text, again.Text())
	})
}

// FuzzSExprs: any text is an error or S-expressions that print as themselves.
func FuzzSExprs(f *testing.F) {
	for _, s := range []string{"sat", "((x 1) (y |a b|))", "(a \"b \"\" c\" ; d\n #x0f :k)", "(", ")", "|", "\"", "(error \"line 1\")", "\x00", "()()"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		es, err := ParseSExprs(text)
		if err != nil {
			require.IsType(t, &Error{}, err)
			return
		}
		var b []byte
		for i := range es {
			b = append(es[i].Append(b), '\n')
		}
		again, err := ParseSExprs(string(b))
		require.NoError(t, err)
		require.Len(t, again, len(es))
		var c []byte
		for i := range again {
			c = append(again[i].Append(c), '\n')
		}
		require.Equal(t, string(b), string(c))
	})
}
