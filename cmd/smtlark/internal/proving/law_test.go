package proving

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/semantics/proof"
)

// certificates is where smtlark law check --record writes what proves the library's laws.
const certificates = "../../../../stdlib/laws/certificates"

// TestBook checks that each law of the library has a certificate for its current text, that no certificate belongs to
// another law, and that a sample of certificates holds when evaluated again. Every operator of the table is in a law,
// most are in three, and no law follows from the others.
func TestBook(t *testing.T) {
	e := &command.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	laws, th, err := lawsOf(context.Background(), e, []string{"@std//laws/book.star"})
	require.NoError(t, err)
	proven := map[string]string{}
	files, err := filepath.Glob(filepath.Join(certificates, "*.txt"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			proven[f[1]] = f[0]
		}
	}
	for i, l := range laws {
		key, err := l.Key(th)
		require.NoError(t, err)
		require.Equal(t, key, proven[l.Name], "%s: %s is new or has changed: smtlark law check --law %s --record stdlib/laws/certificates", l.Where, l.Name, l.Name)
		delete(proven, l.Name)
		if i%16 != 5 {
			continue
		}
		v, err := l.Examine(context.Background(), th, &proof.Prover{Values: 300})
		require.NoError(t, err)
		require.Empty(t, v.Refuted, l.Name)
	}
	require.Empty(t, proven, "certificates of laws that are not in the book, or two laws of one name")
	times, err := countOperators(th, laws)
	require.NoError(t, err)
	table, three := 0, 0
	for _, op := range operatorsOfTable() {
		table++
		if times[op.Op] >= 3 {
			three++
		}
		require.Positive(t, times[op.Op], "no law has %s", op.Name)
	}
	require.Greater(t, 4*three, 3*table, "operators that occur in three laws or more")
	e.Stdout = &bytes.Buffer{}
	require.Zero(t, listDerived(e, th, laws, laws), "laws that follow from others:\n%s", e.Stdout)
}
