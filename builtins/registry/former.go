package registry

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/starlark"
)

// Warnings are the places of a script that were warned about, each of which is warned about once.
type Warnings struct{ told sync.Map }

// WarningsKey is the slot of what was warned about; without it nothing is said.
var WarningsKey = NewKey[*Warnings]("the list of warnings", "the interpreter did not set one")

// warnRenamed prints a warning about the call of a builtin, once for each place of the call.
func warnRenamed(th *starlark.Thread, format string, args ...any) { warnAt(th, 1, format, args...) }

// warnAt prints a warning about what the frame of a call says, 0 being the innermost, once for each place.
func warnAt(th *starlark.Thread, frame int, format string, args ...any) {
	w, err := WarningsKey.Get(th)
	if err != nil || th.Print == nil {
		return
	}
	place := ""
	if th.CallStackDepth() > frame {
		place = th.CallFrame(frame).Pos.String() + ": "
	}
	text := "warning: " + place + fmt.Sprintf(format, args...)
	if _, again := w.told.LoadOrStore(text, true); !again {
		th.Print(th, text)
	}
}

const oneRelease = "the old way is taken for one more release"

// inFormerOrder puts positional arguments that fit only the order of the last release into the order of today.
func (c *Call) inFormerOrder(s *signature, args starlark.Tuple) starlark.Tuple {
	fits := func(order []int) bool {
		for k, v := range args {
			if k >= len(order) || s.params[order[k]].typ.check(v) != "" {
				return false
			}
		}
		return true
	}
	today := make([]int, s.npos)
	for i := range today {
		today[i] = i
	}
	if len(args) == 0 || fits(today) || !fits(s.formerOrder) {
		return args
	}
	out := make(starlark.Tuple, s.npos)
	for k, v := range args {
		out[s.formerOrder[k]] = v
	}
	warnRenamed(c.Thread, "%s: the order of its arguments is (%s) now; %s", c.b.FullName(), strings.Join(s.names[:s.npos], ", "), oneRelease)
	return out
}

// setFormerOrder notes the names of positional parameters in the order of the last release.
func (s *signature) setFormerOrder(names []string) error {
	for _, name := range names {
		i, ok := s.byName[name]
		if !ok || i >= s.npos {
			return fmt.Errorf("no positional parameter is named %q, as FormerOrder says", name)
		}
		s.formerOrder = append(s.formerOrder, i)
	}
	if sorted := slices.Clone(s.formerOrder); len(names) > 0 {
		slices.Sort(sorted)
		if len(slices.Compact(sorted)) != len(names) {
			return fmt.Errorf("FormerOrder names a parameter twice")
		}
	}
	return nil
}

// WarnFormer prints, once a place, that a call says something in the way of the last release.
func (c *Call) WarnFormer(format string, args ...any) {
	warnRenamed(c.Thread, "%s: %s; %s", c.b.FullName(), fmt.Sprintf(format, args...), oneRelease)
}

// WarnFormerParameter prints, once a place, that the call of the function that called the builtin names a parameter as the last release did.
func (c *Call) WarnFormerParameter(former, now string) {
	function := ""
	if c.Thread.CallStackDepth() > 1 {
		function = c.Thread.CallFrame(1).Name + ": "
	}
	warnAt(c.Thread, 2, "%sthe parameter %s is named %s now; %s", function, former, now, oneRelease)
}

// underFormerName is the function under the name of the last release: each place that calls it is warned once.
func (b *Builtin) underFormerName() starlark.Value {
	return starlark.NewBuiltin(b.Module+"."+b.Former, func(th *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		warnRenamed(th, "%s.%s is named %s now; %s", b.Module, b.Former, b.FullName(), oneRelease)
		return b.call(th, b.impl, args, kwargs)
	})
}
