package command

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/solvers/release"
)

// ReleaseStore returns the releases of a folder .solvers. Downloads are shown as a progress bar on a terminal,
// otherwise as one line for each release.
func ReleaseStore(ctx context.Context, e *Env, folder string) *release.Depot {
	out, isFile := e.Stderr.(*os.File)
	moves := isFile && term.IsTerminal(int(out.Fd()))
	return &release.Depot{
		Dir: folder, Machine: release.ThisMachine(ctx),
		Note: func(text string) { fmt.Fprintf(e.Stderr, "%s: %s\n", e.Program(), display.Line(text)) },
		Progress: func(r release.Release, done, size int64) {
			switch {
			case moves:
				const width = 30
				filled := min(width, int(width*done/max(1, size)))
				fmt.Fprintf(e.Stderr, "\r%-20s [%s%s] %s of %s ", r, strings.Repeat("#", filled), strings.Repeat(".", width-filled), humanize.Bytes(uint64(done)), humanize.Bytes(uint64(size)))
				if done == size {
					fmt.Fprint(e.Stderr, "\r\x1b[K")
				}
			case done == size:
				fmt.Fprintf(e.Stderr, "fetched %s (%s)\n", r, humanize.Bytes(uint64(size)))
			}
		},
	}
}
