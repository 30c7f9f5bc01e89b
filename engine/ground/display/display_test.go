package display_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// hostile has text that solvers and seeds may contain: an escape sequence, NUL, a bidirectional override, bytes that
// are no text, lines that look like smtlark's own, Markdown and HTML.
const hostile = "a\x1b[2J\x00\u202eb\xffc\r\u200b\u2028\nfindings: 9 new\t| [text](https://x.y) ![i](//z) <b>&amp; `code` *x* @team #1"

func TestText(t *testing.T) {
	require.Equal(t, "a\\u{1b}[2J\\u{0}\\u{202e}b\\xffc\\u{d}\\u{200b}\\u{2028}\nfindings: 9 new\t| [text](https://x.y) ![i](//z) <b>&amp; `code` *x* @team #1", display.Text(hostile))
	require.Equal(t, "a\\u{1b}[2J\\u{0}\\u{202e}b\\xffc\\u{d}\\u{200b}\\u{2028} findings: 9 new | [text](https://x.y) ![i](//z) <b>&amp; `code` *x* @team #1", display.Line(hostile))
	require.Equal(t, "ä ∀ 漢字 ", display.Text("ä ∀ 漢字 "))
}

func TestMarkdown(t *testing.T) {
	require.Equal(t, "a\\\\u{1b}\\[2J\\\\u{0}\\\\u{202e}b\\\\xffc\\\\u{d}\\\\u{200b}\\\\u{2028} findings: 9 new \\| \\[text\\](https:&#47;/x.y) !\\[i\\](//z) &lt;b&gt;&amp;amp; \\`code\\` \\*x\\* &#64;team \\#1",
		display.Markdown(hostile))
	require.Equal(t, "z3 4.13.3: wrong in QF_LIA", display.Markdown("z3 4.13.3: wrong in QF_LIA"))
	require.Equal(t, "```a``b\\|c```", display.MarkdownCode("a``b|c"))
	require.Equal(t, "`` `x ``", display.MarkdownCode("`x"))
	require.Equal(t, "````", display.MarkdownFence("```\ncode"))
	require.Equal(t, "```", display.MarkdownFence("none"))
}

func TestJSON(t *testing.T) {
	for _, text := range []string{hostile, "plain", "\u0085\U000e0001\ufeff\ufffd", ""} {
		plain, err := json.Marshal(text)
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, json.NewEncoder(display.JSONWriter(&b)).Encode(text))
		require.Equal(t, display.Text(b.String()), b.String(), "nothing is left to make visible")
		var before, after string
		require.NoError(t, json.Unmarshal(plain, &before))
		require.NoError(t, json.Unmarshal([]byte(b.String()), &after))
		require.Equal(t, before, after)
	}
	require.Equal(t, `"\u202e\udb40\udc01"`, string(display.JSON([]byte("\"\u202e\U000e0001\""))))
}

func TestQuote(t *testing.T) {
	for _, word := range []string{"", "a b", "it's", "$(id) `id` \"x\" \\ %s", strings.ReplaceAll(hostile, "\x00", ""), "-n\x1b", "ends\x1b\n\n", "\n", "100%\x1b\\033'"} {
		quoted := display.Quote(word)
		require.Equal(t, display.Text(quoted), quoted)
		require.NotContains(t, strings.TrimRight(quoted, "'\n"), "\n", "nothing that looks like a line of its own")
		out, err := exec.Command("sh", "-c", "printf '%s.' "+quoted).Output()
		require.NoError(t, err)
		require.Equal(t, word+".", string(out))
	}
}
