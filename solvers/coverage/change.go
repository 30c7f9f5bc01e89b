package coverage

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// Change is the lines of source files that a patch changes.
type Change struct {
	Files []ChangedFile `json:"files"`
}

// ChangedFile has the lines of a file after the patch that are new or adjacent to removed lines.
type ChangedFile struct {
	Path  string `json:"path"` // as the patch names it, without a/ or b/
	Lines []int  `json:"lines"`
}

// ParseChange reads a patch in the unified format, as "git diff" and "diff -u" write it. Files that are removed,
// renamed only or binary have no lines.
func ParseChange(r io.Reader) (*Change, error) {
	files, _, err := gitdiff.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("no patch in the unified format, as git diff writes it: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no patch in the unified format, as git diff writes it: it changes no file")
	}
	out := &Change{}
	for _, f := range files {
		if f.IsDelete || f.IsBinary {
			continue
		}
		changed := ChangedFile{Path: withoutSide(f.NewName)}
		for _, fragment := range f.TextFragments {
			changed.Lines = append(changed.Lines, changedLines(fragment)...)
		}
		if len(changed.Lines) > 0 {
			changed.Lines = slices.Compact(changed.Lines)
			out.Files = append(out.Files, changed)
		}
	}
	return out, nil
}

// withoutSide drops the b/ that patches put before names where it is still there.
func withoutSide(name string) string { return path.Clean(strings.TrimPrefix(name, "b/")) }

// changedLines returns the numbers of the new lines, in order; if lines were only removed, those of the lines around
// the gap.
func changedLines(f *gitdiff.TextFragment) (lines []int) {
	at, gone := int(f.NewPosition), false
	if f.NewLines == 0 { // then the position is that of the line before
		at++
	}
	close := func() {
		if gone {
			lines = append(lines, max(1, at-1), at)
		}
		gone = false
	}
	for _, l := range f.Lines {
		switch l.Op {
		case gitdiff.OpAdd:
			lines, gone = append(lines, at), false
			at++
		case gitdiff.OpDelete:
			gone = len(lines) == 0 || lines[len(lines)-1] != at-1
		default:
			close()
			at++
		}
	}
	close()
	return lines
}
