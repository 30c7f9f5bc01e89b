package registry

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

func TestAmounts(t *testing.T) {
	for _, x := range []struct {
		typ  string
		v    starlark.Value
		want string
	}{
		{"probability", starlark.MakeInt(1), ""},
		{"probability", starlark.Float(0.5), ""},
		{"probability", starlark.Float(1.5), "1.5 is not between 0 and 1"},
		{"probability", starlark.MakeInt(-1), "-1 is not between 0 and 1"},
		{"probability", starlark.Float(math.NaN()), "nan is not between 0 and 1"},
		{"probability", starlark.String("1"), `got string "1", want a probability (0 to 1)`},
		{"probability", starlark.True, "got bool True, want a probability (0 to 1)"},
		{"probability | None", starlark.None, ""},
		{"probability | None", starlark.MakeInt(2), "2 is not between 0 and 1"},
		{"weight", starlark.Float(0), ""},
		{"weight", starlark.Float(math.Inf(1)), "+inf is no weight: want a number from 0 up"},
		{"weight", starlark.Float(-0.5), "-0.5 is no weight: want a number from 0 up"},
		{"count", starlark.MakeInt(0), ""},
		{"count", starlark.MakeInt(-1), "-1 is below 0"},
		{"count", starlark.MakeInt(1).Lsh(70), "1180591620717411303424 is out of range (64 bits)"},
		{"count", starlark.Float(1), "got float 1.0, want a count (a whole number from 0 up)"},
		{"size | None", starlark.String("2 GB"), ""},
		{"size | None", starlark.String("2 XB"), `"2 XB" is no size: want bytes, or a number with KB, MB or GB, above 0`},
		{"size", starlark.Float(1), `got float 1.0, want a size ("2GB", "500MB" or bytes; above 0)`},
		{"duration", starlark.String("2 h"), `got string "2 h", want a duration: "90s", "8h", "2d" or a number of seconds`},
		{"list[probability]", starlark.NewList([]starlark.Value{starlark.MakeInt(2)}), "element 0: 2 is not between 0 and 1"},
	} {
		typ, err := ParseType(x.typ)
		require.NoError(t, err)
		require.Equal(t, x.want, typ.check(x.v), "%s: %v", x.typ, x.v)
	}
}
