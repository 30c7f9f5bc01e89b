package core

import (
	"go.starlark.net/lib/json"
	"go.starlark.net/lib/math"

	"github.com/smtlark/smtlark/builtins/registry"
)

func jsonModule() registry.Module {
	x := registry.Param{Name: "x", Type: "any"}
	str := registry.Param{Name: "s", Type: "str"}
	m := json.Module.Members
	return registry.Module{Name: "json", Doc: "JSON text from and to values, as in go.starlark.net/lib/json.", Members: []registry.Builtin{
		{Name: "encode", Doc: "The JSON text of a value; keys of dicts are sorted.", Params: []registry.Param{x}, Ret: "str", Value: m["encode"],
			Example: `json.encode({"b": [1, None], "a": True})  # -> "{\"a\":true,\"b\":[1,null]}"`},
		{Name: "encode_indent", Doc: "The JSON text of a value, indented.", Ret: "str", Value: m["encode_indent"],
			Params:  []registry.Param{x, {Name: "*"}, {Name: "prefix", Type: "str", Default: `""`}, {Name: "indent", Type: "str", Default: `"\t"`}},
			Example: `json.encode_indent([1], indent = " ")  # -> "[\n 1\n]"`},
		{Name: "decode", Doc: "The value of a JSON text; with a default, the default when the text is malformed.", Ret: "any", Value: m["decode"],
			Params:  []registry.Param{str, {Name: "default", Type: "any", Default: "None"}},
			Example: `json.decode("[1, {\"a\": null}]")  # -> [1, {"a": None}]`},
		{Name: "indent", Doc: "A JSON text, indented.", Ret: "str", Value: m["indent"],
			Params:  []registry.Param{str, {Name: "*"}, {Name: "prefix", Type: "str", Default: `""`}, {Name: "indent", Type: "str", Default: `"\t"`}},
			Example: `json.indent("[1]", indent = " ")  # -> "[\n 1\n]"`},
	}}
}

func mathModule() registry.Module {
	x := []registry.Param{{Name: "x", Type: "number"}}
	xy := []registry.Param{{Name: "x", Type: "number"}, {Name: "y", Type: "number"}}
	mod := registry.Module{Name: "math", Doc: "Floating-point functions, as in go.starlark.net/lib/math. Floats are approximate: keep them out of oracles, where terms and ints are exact."}
	for _, e := range []struct {
		name, doc string
		params    []registry.Param
		ret       string
	}{
		{"ceil", "The least int that is not below x.", x, "bigint"},
		{"floor", "The greatest int that is not above x.", x, "bigint"},
		{"round", "x rounded to the nearest int, halves away from zero.", x, "float"},
		{"fabs", "The absolute value of x.", x, "float"},
		{"copysign", "The magnitude of x with the sign of y.", xy, "float"},
		{"mod", "The remainder of x / y with the sign of x.", xy, "float"},
		{"remainder", "The IEEE 754 remainder of x / y.", xy, "float"},
		{"pow", "x to the power y.", xy, "float"},
		{"exp", "e to the power x.", x, "float"},
		{"sqrt", "The square root of x.", x, "float"},
		{"log", "The logarithm of x to a base (default e).", []registry.Param{{Name: "x", Type: "number"}, {Name: "base", Type: "number", Default: "2.718281828459045"}}, "float"},
		{"hypot", "The length of the vector (x, y).", xy, "float"},
		{"degrees", "Radians to degrees.", x, "float"},
		{"radians", "Degrees to radians.", x, "float"},
		{"sin", "The sine of x (radians).", x, "float"},
		{"cos", "The cosine of x (radians).", x, "float"},
		{"tan", "The tangent of x (radians).", x, "float"},
		{"asin", "The arc sine of x.", x, "float"},
		{"acos", "The arc cosine of x.", x, "float"},
		{"atan", "The arc tangent of x.", x, "float"},
		{"atan2", "The angle of the point (x, y).", []registry.Param{{Name: "y", Type: "number"}, {Name: "x", Type: "number"}}, "float"},
		{"sinh", "The hyperbolic sine of x.", x, "float"},
		{"cosh", "The hyperbolic cosine of x.", x, "float"},
		{"tanh", "The hyperbolic tangent of x.", x, "float"},
		{"asinh", "The inverse hyperbolic sine of x.", x, "float"},
		{"acosh", "The inverse hyperbolic cosine of x.", x, "float"},
		{"atanh", "The inverse hyperbolic tangent of x.", x, "float"},
		{"gamma", "The gamma function of x.", x, "float"},
		{"pi", "The ratio of a circle's circumference to its diameter.", nil, "float"},
		{"e", "The base of the natural logarithm.", nil, "float"},
	} {
		mod.Members = append(mod.Members, registry.Builtin{Name: e.name, Doc: e.doc, Params: e.params, Ret: e.ret, Value: math.Module.Members[e.name]})
	}
	return mod
}
