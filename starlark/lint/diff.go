package lint

import (
	"bytes"
	"fmt"
	"strings"
)

// context lines around a change.
const around = 3

// Diff returns the unified difference between two versions of a file; nil when equal.
func Diff(name string, before, after []byte) []byte {
	if bytes.Equal(before, after) {
		return nil
	}
	a, b := splitLines(before), splitLines(after)
	var out bytes.Buffer
	fmt.Fprintf(&out, "--- %s\n+++ %s (formatted)\n", name, name)
	edits := editScript(a, b)
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		from := max(0, i-around)
		to, quiet := i, 0
		for j := i; j < len(edits) && quiet <= 2*around; j++ {
			if edits[j].op == ' ' {
				quiet++
			} else {
				quiet, to = 0, j+1
			}
		}
		to = min(len(edits), to+around)
		writeHunk(&out, edits[from:to])
		i = to
	}
	return out.Bytes()
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// edit is one line of a difference: kept (' '), removed ('-') or added ('+'), with the
// line numbers it stands at in both versions.
type edit struct {
	op   byte
	a, b int
	line string
}

func writeHunk(out *bytes.Buffer, edits []edit) {
	na, nb := 0, 0
	for _, e := range edits {
		if e.op != '+' {
			na++
		}
		if e.op != '-' {
			nb++
		}
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", edits[0].a+1, na, edits[0].b+1, nb)
	for _, e := range edits {
		fmt.Fprintf(out, "%c%s\n", e.op, e.line)
	}
}

// editScript is the shortest edit script by the table of longest common subsequences; the
// common beginning and end are cut off first, campaign files are short.
func editScript(a, b []string) (edits []edit) {
	pre := 0
	for pre < len(a) && pre < len(b) && a[pre] == b[pre] {
		edits = append(edits, edit{' ', pre, pre, a[pre]})
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && a[len(a)-1-post] == b[len(b)-1-post] {
		post++
	}
	ma, mb := a[pre:len(a)-post], b[pre:len(b)-post]
	// Quadratic in what differs, which is little in files of this size.
	lcs := make([][]int32, len(ma)+1)
	for i := range lcs {
		lcs[i] = make([]int32, len(mb)+1)
	}
	for i := len(ma) - 1; i >= 0; i-- {
		for j := len(mb) - 1; j >= 0; j-- {
			if ma[i] == mb[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(ma) || j < len(mb) {
		switch {
		case i < len(ma) && j < len(mb) && ma[i] == mb[j]:
			edits = append(edits, edit{' ', pre + i, pre + j, ma[i]})
			i, j = i+1, j+1
		case j == len(mb) || i < len(ma) && lcs[i+1][j] >= lcs[i][j+1]:
			// |On a tie what goes is shown before what comes, as diff does.
			edits = append(edits, edit{'-', pre + i, pre + j, ma[i]})
			i++
		default:
			edits = append(edits, edit{'+', pre + i, pre + j, mb[j]})
			j++
		}
	}
	for k := range post {
		edits = append(edits, edit{' ', len(a) - post + k, len(b) - post + k, a[len(a)-post+k]})
	}
	return edits
}
