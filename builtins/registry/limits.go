package registry

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.starlark.net/starlark"
)

// PositiveDuration reads a time above 0 as scripts write it: "90s", "8h", "2d", or a number of seconds.
func PositiveDuration(v starlark.Value) (time.Duration, error) {
	d, err := durationFrom(v)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s is no time: want one above 0", v.String())
	}
	return d, err
}

// ToBytes reads a size as scripts write it: a number of bytes, or "2GB", "500 MB" (units of 1024).
func ToBytes(v starlark.Value) (int64, error) {
	bad := func() error {
		return fmt.Errorf("%s is no size: want bytes, or a number with KB, MB or GB, above 0", v.String())
	}
	text, ok := starlark.AsString(v)
	if !ok {
		n, isInt := v.(starlark.Int)
		bytes, fits := n.Int64()
		if !isInt || !fits || bytes <= 0 {
			return 0, bad()
		}
		return bytes, nil
	}
	s := strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), "B")
	shift := 0
	if s != "" {
		if k := strings.IndexByte("KMGT", s[len(s)-1]); k >= 0 {
			shift, s = 10*(k+1), s[:len(s)-1]
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if bytes := x * float64(int64(1)<<shift); err == nil && bytes >= 1 && bytes <= 1<<60 {
		return int64(bytes), nil
	}
	return 0, bad()
}
