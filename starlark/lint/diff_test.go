package lint

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// An edit script holds both versions, and no more edits than changing every line needs.
func TestEditScript(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 12)
	rapid.Check(t, func(rt *rapid.T) {
		a, b := lines.Draw(rt, "a"), lines.Draw(rt, "b")
		var before, after []string
		for _, e := range editScript(a, b) {
			if e.op != '+' {
				require.Equal(rt, len(before), e.a)
				before = append(before, e.line)
			}
			if e.op != '-' {
				require.Equal(rt, len(after), e.b)
				after = append(after, e.line)
			}
		}
		require.Equal(rt, strings.Join(a, "\n"), strings.Join(before, "\n"))
		require.Equal(rt, strings.Join(b, "\n"), strings.Join(after, "\n"))
		require.Len(rt, before, len(a))
		require.Len(rt, after, len(b))
	})
}

func TestDiffHunks(t *testing.T) {
	lines := strings.Split("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", " ")
	before := strings.Join(lines, "\n") + "\n"
	lines[1], lines[17] = "two", "eighteen"
	got := string(Diff("f", []byte(before), []byte(strings.Join(lines, "\n")+"\n")))
	require.Equal(t, "--- f\n+++ f (formatted)\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -15,6 +15,6 @@\n 15\n 16\n 17\n-18\n+eighteen\n 19\n 20\n", got)
	require.Nil(t, Diff("f", []byte("x\n"), []byte("x\n")))
}
