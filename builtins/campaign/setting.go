package campaign

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/campaign"
)

// SettingsKey is the slot of the settings. A thread without them has none set.
var SettingsKey = registry.NewKey[*campaign.Settings]("the settings", "the host gave none")

func settingBuiltin() registry.Builtin {
	return registry.Builtin{
		Name: "setting", Doc: "A variable that the command line can set: smtlark run FILE --set name=value. The value has the type of the default.",
		Ret: "str | bool | int | float", Example: "setting(\"depth\", 20)  # -> 20",
		Do: registry.Into(func(c *registry.Call, a *settingArgs) (starlark.Value, error) {
			s, err := SettingsKey.Get(c.Thread)
			if err != nil {
				return a.Default, nil
			}
			text, ok := s.Get(a.Name)
			if !ok {
				return a.Default, nil
			}
			v, want := convert(text, a.Default)
			if v == nil {
				return nil, fmt.Errorf("--set %s=%s: want %s", a.Name, text, want)
			}
			return v, nil
		}),
	}
}

// convert reads a text as a value of the type of like; nil if it is none.
func convert(text string, like starlark.Value) (v starlark.Value, want string) {
	switch like.(type) {
	case starlark.Bool:
		switch strings.ToLower(text) {
		case "true", "1", "yes":
			return starlark.True, ""
		case "false", "0", "no":
			return starlark.False, ""
		}
		return nil, "True or False"
	case starlark.Int:
		if n, err := strconv.ParseInt(text, 0, 64); err == nil {
			return starlark.MakeInt64(n), ""
		}
		return nil, "a whole number"
	case starlark.Float:
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return starlark.Float(f), ""
		}
		return nil, "a number"
	}
	return starlark.String(text), ""
}

// settingArgs are the arguments of setting.
type settingArgs struct {
	Name    string
	Default starlark.Value `type:"str | bool | int | float" doc:"the value if the command line gives none"`
}
