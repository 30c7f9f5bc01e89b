package display_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/display"
)

// What solvers and seeds may contain: an escape sequence, NUL, a bidirectional override, bytes that are no text, lines that
// look like smtlark's own, and Markdown and HTML of their own.
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
