package registry

import (
	"fmt"
	"strconv"
	"time"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// wantDuration completes "got X, want ...".
const wantDuration = `a duration: "90s", "8h", "2d" or a number of seconds`

// maxSeconds bounds durations, so that they cannot overflow.
const maxSeconds = 1e9

var dayPart = pattern.Lazy(`^(\d+(?:\.\d+)?)d`)

// ParseDuration reads a time from 0 up as campaign files and flags write it: parts with the units d, h, m, s, ms, us
// and ns, as in "90s", "1h30m" and "2d", or a plain number of seconds.
func ParseDuration(text string) (time.Duration, error) {
	rest, days := text, 0.0
	if m := dayPart().FindStringSubmatch(text); m != nil {
		days, _ = strconv.ParseFloat(m[1], 64)
		rest = text[len(m[0]):]
	}
	d := time.Duration(0)
	if seconds, err := strconv.ParseFloat(rest, 64); err == nil && rest == text && seconds >= 0 && seconds <= maxSeconds {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	if rest != "" || text == "" {
		var err error
		if d, err = time.ParseDuration(rest); err != nil || d < 0 {
			return 0, fmt.Errorf("%q is no time: want one such as 90s, 15m, 8h or 2d, or a number of seconds", text)
		}
	}
	if days > maxSeconds/86400 || d > maxSeconds*time.Second {
		return 0, fmt.Errorf("%q is too long: the most is 11574 days", text)
	}
	return d + time.Duration(days*24*float64(time.Hour)), nil
}

// durationFrom reads a duration of a campaign file: a string as ParseDuration takes it, or a number of seconds.
func durationFrom(v starlark.Value) (time.Duration, error) {
	switch v := v.(type) {
	case starlark.String:
		return ParseDuration(string(v))
	case starlark.Int, starlark.Float:
		f, _ := starlark.AsFloat(v)
		if f >= 0 && f <= maxSeconds {
			return time.Duration(f * float64(time.Second)), nil
		}
	}
	return 0, fmt.Errorf("%s is no time: want %s", v.String(), wantDuration)
}
