package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/solvers/trust"
)

// The question is put where a file could not run for lack of trust; a yes is remembered.
func TestTrustIsAskedFor(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	folder := t.TempDir()
	for answer, want := range map[string]bool{"": false, "n\n": false, "\n": false, "maybe\n": false, "y\n": true, "Yes\n": true} {
		var errs bytes.Buffer
		e := &Env{Stdin: strings.NewReader(answer), Stderr: &errs}
		require.Equal(t, want, e.asked(folder), "%q", answer)
		require.Contains(t, errs.String(), "Trust "+folder+", from now on?")
		known, err := trust.Folders()
		require.NoError(t, err)
		require.Equal(t, want, len(known) == 1)
		_, err = trust.Remove(folder)
		require.NoError(t, err)
	}
}

func TestNoTerminalNoQuestion(t *testing.T) {
	var errs bytes.Buffer
	e := &Env{Stdin: strings.NewReader("y\n"), Stderr: &errs}
	e.NoteTrust(&trust.UntrustedError{Folder: "/somewhere"}, "", "")
	require.Equal(t, "/somewhere", e.untrusted)
	require.False(t, e.AskTrust())
	require.Empty(t, errs.String())
	require.Empty(t, e.untrusted)

	e.NoteTrust(&campaign.LoadError{Fault: campaign.FaultTrust, Err: errors.New("x")}, "/a/b/c.star", "")
	require.Equal(t, "/a/b", e.untrusted)
	e.untrusted = ""
	e.NoteTrust(&campaign.LoadError{Fault: campaign.FaultScript, Err: errors.New("x")}, "/a/b/c.star", "")
	require.Empty(t, e.untrusted)
}
