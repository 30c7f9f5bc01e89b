package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/ground/expression"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
	"github.com/smtlark/smtlark/internal/scripttest"
)

func TestCallIsWrittenInOrder(t *testing.T) {
	require.Equal(t, `f()`, expression.NewCall("f").String())
	call := expression.NewCall("f").Text("", "bvnego").Set("between", "(1, 2)").List("values", []string{"a", "b"}).Flag("expert", true).Flag("over_text", false)
	require.Equal(t, `f("bvnego", between = (1, 2), values = ["a", "b"], expert = True)`, call.String(), "a flag that is not set is no argument")
	require.Equal(t, `[]`, expression.List(nil))
	require.Equal(t, `{}`, expression.Dict())
	require.Equal(t, `{"k": "v", "l": "w"}`, expression.Dict("k", "v", "l", "w"))
}

// A campaign file reads a written string back unchanged, whatever characters a file name or an option has. The test
// writes each string twice, by this package and as a list of code points, and compares the two.
func TestTextsAreReadBack(t *testing.T) {
	var file strings.Builder
	same := func(written, s string) {
		var points []string
		for _, r := range s {
			points = append(points, fmt.Sprintf("chr(%d)", r))
		}
		fmt.Fprintf(&file, "expect(%s == \"\".join([%s]))\n", written, strings.Join(points, ", "))
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\'{}%\x00-\x1f\x7f\x{80}-\x{9f}\x{feff} ]*`)).Draw(t, "text")
		same(expression.Text(s), s)
		same(expression.List([]string{"", s})+"[1]", s)
		same(expression.Dict("key", s)+"[\"key\"]", s)
		same(expression.NewCall("str").Text("", s).String(), s)
	})
	require.NoError(t, scripttest.Run(t, file.String()))
}
