// Package core holds the predeclared functions that need nothing of smtlark: how a
// script speaks to its host (skip, fail, expect), exact powers, and the modules that
// come with the language (json, math, struct).
package core

import (
	"fmt"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/smtlark/smtlark/builtins/registry"
)

// Modules returns the predeclared functions and the modules json and math.
func Modules() []registry.Module {
	return []registry.Module{functions(), jsonModule(), mathModule()}
}

// TestKey is filled on the threads that run test_* functions and examples, where
// error_of may be called.
var TestKey = registry.NewKey[bool]("the test harness", "it works in test_* functions only (smtlark test FILE), since a campaign must not hide its errors")

// maxPow2 bounds pow2, so that a slip of the pen cannot take all memory: 2^maxPow2
// takes 128 KiB.
const maxPow2 = 1 << 20

func functions() registry.Module {
	return registry.Module{Members: []registry.Builtin{
		{
			Name: "skip", Doc: "Ends the making of this case: it is counted under the reason and the next one is made. It never returns; `return skip(...)` reads well.",
			Ret:     "never",
			Example: `skip("no ite")  # error: skip: no ite`,
			Do: registry.Into(func(c *registry.Call, a *skipArgs) (starlark.Value, error) {
				return nil, &registry.Skip{Reason: a.Reason}
			}),
		},
		{
			Name: "fail", Doc: "Ends the campaign file (or the test) with an error.",
			Ret:     "never",
			Example: `fail("width", 7, "is odd")  # error: width 7 is odd`,
			Do:      registry.Into(fail),
		},
		{
			Name: "expect", Doc: "Checks a condition. In a test it fails the test, in an action of an API campaign it is a finding.",
			Example: "expect(1 + 1 == 2)\nexpect(1 > 2, \"one is small\")  # error: expectation failed: one is small",
			Do: registry.Into(func(c *registry.Call, a *expectArgs) (starlark.Value, error) {
				holds, err := registry.Truth(a.Condition)
				if err != nil {
					return nil, c.Errorf(&a.Condition, "%v", err)
				}
				if !holds {
					return nil, &registry.Expectation{Reason: a.Message}
				}
				return starlark.None, nil
			}),
		},
		{
			Name: "error_of", Doc: "Calls a function without arguments and returns the message of its error, or None when it has none. For tests only.",
			Ret:     "str | None",
			Example: "error_of(lambda: [][1])  # -> \"index 1 out of range: empty list\"",
			Do:      registry.Into(errorOf),
		},
		{
			Name: "pow2", Doc: "Two to the power n, exact. (`1 << n` stops at n = 511.)",
			Ret:     "bigint",
			Example: "pow2(10)  # -> 1024\npow2(-1)  # error: pow2: for parameter n: -1 is not between 0 and 1048576",
			Do: registry.Into(func(c *registry.Call, a *pow2Args) (starlark.Value, error) {
				n := a.N
				if n < 0 || n > maxPow2 {
					return nil, c.Errorf(&a.N, "%d is not between 0 and %d", n, maxPow2)
				}
				return starlark.MakeBigInt(new(big.Int).Lsh(big.NewInt(1), uint(n))), nil
			}),
		},
		{
			Name: "struct", Doc: "Makes a value with the given fields.",
			Params:  []registry.Param{{Name: "**fields", Type: "any", Doc: "the fields by name"}},
			Ret:     "any",
			Example: "p = struct(x = 1, y = 2)\np.x + p.y  # -> 3",
			Value:   starlark.NewBuiltin("struct", starlarkstruct.Make),
		},
	}}
}

// failArgs are the arguments of fail.
type failArgs struct {
	Message []starlark.Value `name:"*message" type:"any" doc:"joined by spaces"`
}

func fail(c *registry.Call, a *failArgs) (starlark.Value, error) {
	msg := ""
	for i, v := range a.Message {
		if i > 0 {
			msg += " "
		}
		if s, ok := starlark.AsString(v); ok {
			msg += s
		} else {
			msg += v.String()
		}
	}
	return nil, &registry.ScriptFailure{Reason: msg}
}

// errorOfArgs are the arguments of error_of.
type errorOfArgs struct {
	F starlark.Callable `type:"callable() -> any" doc:"usually a lambda"`
}

func errorOf(c *registry.Call, a *errorOfArgs) (starlark.Value, error) {
	if _, err := TestKey.Get(c.Thread); err != nil {
		return nil, err
	}
	_, err := c.Invoke(a.F)
	if err == nil {
		return starlark.None, nil
	}
	if ctxErr := registry.Context(c.Thread).Err(); ctxErr != nil {
		return nil, fmt.Errorf("stopped: %w", ctxErr)
	}
	return starlark.String(err.Error()), nil
}

// pow2Args are the arguments of pow2.
type pow2Args struct {
	N int `doc:"0 to 1048576"`
}

// expectArgs are the arguments of expect.
type expectArgs struct {
	Condition starlark.Value `type:"any" doc:"what should be true (any value: its truth counts)"`
	Message   string         `default:"\"\"" doc:"the message if it is not"`
}

// skipArgs are the arguments of skip.
type skipArgs struct {
	Reason string `default:"\"\"" doc:"why, a short fixed text (the summary counts by it)"`
}
