package registry_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
)

func TestRunExample(t *testing.T) {
	for _, tc := range []struct{ src, wantErr string }{
		{"x = 1\nx + 1  # -> 2", ""},
		{"for i in range(2):\n    i * 0  # -> 0", ""},
		{"1 // 0  # error: division by zero", ""},
		{`"a"  # -> "a"`, ""},
		{"x = 1\nx + 1  # -> 3", "example of f: f:2:16: the value is 2, not 3"},
		{"1  # error: no", `the value is 1, want an error with "no"`},
		{"1 // 0  # error: nothing", `the error is "floored division by zero", want one with "nothing"`},
		{"x = 1  # -> 1", `line 1: "# -> " needs an expression before it`},
		{"undefined", "undefined: undefined"},
	} {
		err := registry.RunExample(&registry.Builtin{Name: "f", Example: tc.src}, &starlark.Thread{}, nil)
		if tc.wantErr == "" {
			require.NoError(t, err, tc.src)
		} else {
			require.ErrorContains(t, err, tc.wantErr, tc.src)
		}
	}
}

func TestReferenceAndStubs(t *testing.T) {
	reg, err := registry.New(testModules()...)
	require.NoError(t, err)
	ref, stubs := string(reg.Reference(nil)), string(reg.Stubs(nil))
	for _, want := range []string{
		"- [module `geo`](#module-geo): Geometry.\n",
		"| `geo.origin` | `point` | The origin. |\n",
		"| `geo.mode(m, *, scale = 1)` | `str` | Checks a literal. |\n",
		"\n## Type point\n\nA point of the plane.\n\n| operator | other operand | value | |\n",
		"| `x + y` | `int` | `point` | Adds to both. |\n", "| `-x` |  | `point` | Mirrored. |\n",
		"- `what` (`any`, default `None`): a function, module",
	} {
		require.Contains(t, ref, want)
	}
	for _, want := range []string{
		"class Point:\n    \"\"\"A point of the plane.\"\"\"\n    x: int\n",
		"    def moved(self, dx: int, dy: int = 0) -> Point:\n",
		"    def __add__(self, other: Point | int) -> Point: ...\n    def __radd__(self, other: Point | int) -> Point: ...\n",
		"    def __getitem__(self, other: int) -> int: ...\n    def __neg__(self) -> Point: ...\n",
		"class _module_geo:\n    \"\"\"Geometry.\"\"\"\n    def __call__(self, x: int, y: int) -> Point:\n",
		"    @staticmethod\n    def mode(m: Literal[\"fresh\", \"reset\"], *, scale: int | float = 1) -> str:\n",
		"def total(*points: Point | None, **named: list[int]) -> int:",
		"def opt(f: Callable[..., Any] | None = None, n: Iterable[int] = ()) -> bool:",
		"\ngeo: _module_geo\n", "\ndef quit() -> None:\n",
	} {
		require.Contains(t, stubs, want)
	}
}
