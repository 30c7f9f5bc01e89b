package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestManagerForTargets: a manager makes what its targets take, given by gen.manager or by the campaign.
func TestManagerForTargets(t *testing.T) {
	require.NoError(t, scripttest.Run(t, `
def fake(name, exclude):
    return solver(solver.profile(name = name, base = "generic", binaries = ["sh"], version_args = ["-c", "echo version 1"], version = "version (\\S+)", modes = ["fresh"], api_exclude = [solver.lacks(operator = o) for o in exclude]))
many = gen.manager(theories = ["BV"])
few = gen.manager(theories = ["BV"], targets = fake("few", ["bvmul", "bvudiv"]))
one = gen.manager(theories = ["BV"], targets = [fake("few2", ["bvmul"]), fake("few3", ["bvadd"])])
expect("bvmul" in many.operators() and "bvadd" in many.operators())
expect("bvmul" not in few.operators() and "bvudiv" not in few.operators() and "bvadd" in few.operators())
expect("bvmul" not in one.operators() and "bvadd" not in one.operators() and "bvand" in one.operators())
`))
}
