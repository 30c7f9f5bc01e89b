package native

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	machine "github.com/smtlark/smtlark/engine/generate/api"
)

// TestOptionLines: what libraries say of their options can be read, and is about more than a few.
func TestOptionLines(t *testing.T) {
	least := map[string]int{"z3": 50, "cvc5": 100, "bitwuzla": 20, "boolector": 30}
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		lines, err := OptionLines(context.Background(), s)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(lines), least[s.Profile.Name], s.Name)
		for _, line := range lines {
			_, err := machine.ParseOption(line)
			require.NoError(t, err, s.Name)
			require.False(t, strings.HasPrefix(line, "produce-"), line)
		}
	}
}
