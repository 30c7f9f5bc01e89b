package folder

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
)

// Refusals name lines of the text that was sent to a solver, which may be others in the file of a finding.
func TestInvalidModelBesideRefusals(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	cond, _ := modelCondition(&finding.Run{Stdout: "unsupported\n; ignoring unsupported logic X line: 2 position: 0\nunknown\n(error \"line 95 column 10: model is not available\")\nsat\n((define-fun x () Int 1))\n"})
	for said, same := range map[string]bool{
		"unsupported\n; ignoring unsupported logic X line: 1 position: 0\nunknown\n(error \"line 91 column 10: model is not available\")\nsat\n((define-fun x () Int\n    1))": true,
		"unsupported\nunknown\n(error \"line 91 column 10: model is not available\")\nsat\n((define-fun x () Int\n    2))":                                                     false,
		"unknown\nsat": false,
	} {
		err := exec.Command(sh, "-c", "own() { cat; }\nprintf '%s\\n' \"$1\" | if "+cond+"; then exit 0; else exit 1; fi", "sh", said).Run()
		require.Equal(t, same, err == nil, said)
	}
}
