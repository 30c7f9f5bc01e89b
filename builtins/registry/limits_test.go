package registry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

func TestBytes(t *testing.T) {
	for v, want := range map[starlark.Value]int64{
		starlark.MakeInt(7): 7, starlark.String("7"): 7, starlark.String("7B"): 7, starlark.String("2kb"): 2048, starlark.String("1.5 MB"): 3 << 19,
		starlark.String("4G"): 4 << 30, starlark.String("1TB"): 1 << 40,
	} {
		got, err := ToBytes(v)
		require.NoError(t, err, v)
		require.Equal(t, want, got, v)
	}
	for _, v := range []starlark.Value{starlark.MakeInt(0), starlark.MakeInt(-1), starlark.String(""), starlark.String("GB"), starlark.String("-1KB"),
		starlark.String("nanGB"), starlark.String("1e30GB"), starlark.String("1XB"), starlark.None, starlark.Float(1)} {
		_, err := ToBytes(v)
		require.ErrorContains(t, err, "is no size", v)
	}
}

func TestDuration(t *testing.T) {
	for v, want := range map[starlark.Value]time.Duration{
		starlark.String("90s"): 90 * time.Second, starlark.String("8h"): 8 * time.Hour, starlark.MakeInt(3): 3 * time.Second, starlark.Float(0.5): time.Second / 2,
		starlark.String("9"): 9 * time.Second, starlark.String("2d"): 48 * time.Hour, starlark.String("1d1h30m"): 25*time.Hour + 30*time.Minute, starlark.String("0.5d"): 12 * time.Hour,
	} {
		got, err := PositiveDuration(v)
		require.NoError(t, err, v)
		require.Equal(t, want, got, v)
	}
	for _, v := range []starlark.Value{starlark.MakeInt(0), starlark.String("0s"), starlark.String("-1s"), starlark.String("9 s"), starlark.String("1e9d"), starlark.Float(1e300), starlark.None} {
		_, err := PositiveDuration(v)
		require.ErrorContains(t, err, "is no time", v)
	}
}
