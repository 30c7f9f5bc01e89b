package native

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOptionsOfLibraries: what libraries say of their options is about more than a few.
func TestOptionsOfLibraries(t *testing.T) {
	least := map[string]int{"z3": 50, "cvc5": 100, "bitwuzla": 20, "boolector": 30}
	for _, s := range discovered() {
		if s.Unusable != "" {
			continue
		}
		options, err := Options(context.Background(), s)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(options), least[s.Profile.Name], s.Name)
		for _, o := range options {
			require.False(t, strings.HasPrefix(o.Name, "produce-"), o.Name)
		}
	}
}
