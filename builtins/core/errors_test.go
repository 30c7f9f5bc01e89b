package core_test

import (
	"testing"

	"github.com/smtlark/smtlark/internal/scripttest"
)

// TestMessages: what an author reads of the functions of every file.
func TestMessages(t *testing.T) {
	scripttest.Messages(t, `x = smt.const("x", smt.Int)`, []scripttest.Message{
		{`error_of(1)`, `error_of: for parameter f: got int 1, want a function of ()`},
		{`error_of(lambda a: 1)`, `error_of: for parameter f: lambda takes (a), want a function of ()`},
		{`expect()`, `expect: missing argument for condition; usage: expect(condition, message = "")`},
		{`expect(False)`, `expectation failed`},
		{`expect(False, 1)`, `expect: for parameter message: got int 1, want str`},
		{`fail()`, `fail()`},
		{`help(1, 2)`, `help: got 2 positional arguments, want at most 1; usage: help(what = None)`},
		{`help("nope.pick")`, `help: nothing is named "nope.pick"`},
		{`help("rng.pikc")`, `help: nothing is named "rng.pikc" (did you mean "rng.pick"?)`},
		{`pow2("x")`, `pow2: for parameter n: got string "x", want int`},
		{`pow2(1048577)`, `pow2: for parameter n: 1048577 is not between 0 and 1048576`},
		{`skip(1)`, `skip: for parameter reason: got int 1, want str`},
		{`struct(1)`, `struct: unexpected positional arguments`},
		{`setting("x")`, `setting: missing argument for default; usage: setting(name, default)`},
		{`struct(a = 1).b`, `struct has no .b attribute`},
		{`math.sqrt("x")`, `sqrt: for parameter 1: got string, want float or int`},
		{`math.nope`, `module math has no field or method 'nope'`},
		{`json.decode("{")`, `json.decode: at offset 1, unexpected end of file`},
		{`json.decode(1)`, `json.decode: for parameter x: got int, want string`},
		{`json.encode(x)`, `json.encode: in field .find: cannot encode builtin_function_or_method as JSON`},
		{`json.encode(lambda: 1)`, `json.encode: cannot encode function as JSON`},
		{`json.indent("x")`, `json.indent: invalid character 'x' looking for beginning of value`},
	})
}
