package mutate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/solvers/rule"
)

func TestValuesOfOptions(t *testing.T) {
	for _, row := range []struct {
		option rule.OptionSpec
		want   string
	}{
		{rule.OptionSpec{Kind: rule.Bool}, "(True, False)"},
		{rule.OptionSpec{Kind: rule.Int, Lo: 0, Hi: 3}, "(0, 1, 2, 3)"},
		{rule.OptionSpec{Kind: rule.Int, Lo: 0, Hi: 100}, "(0, 1, 50, 100)"},
		{rule.OptionSpec{Kind: rule.List, Values: []string{"2", "6", "auto"}}, "(2, 6, \"auto\")"},
	} {
		require.Equal(t, row.want, starlark.Tuple(valuesOf(&row.option)).String())
	}
}
