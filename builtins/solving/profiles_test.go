package solving

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/catalogue"
)

func library(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func TestLoadProfiles(t *testing.T) {
	files := newProfileFiles(library(map[string]string{
		"solvers/a.star": `one = solver.profile(name = "one", binaries = ["one"], modes = ["fresh", "reset"], has_reset = True, session_args = ["-in"])`,
		"solvers/b.star": `two = solver.profile(name = "two", base = "one", binaries = ["two"], exit_codes = {"10": "ok"})`,
		"other.star":     `boom = 1 / 0`,
	}))
	some, err := files.load("one-2.0")
	require.NoError(t, err)
	require.Len(t, some, 1)
	ps, err := files.load("")
	require.NoError(t, err)
	require.Len(t, ps, 2)
	require.Same(t, some[0], ps[0], "each file is read once")
	require.Equal(t, "one", ps[0].Name)
	require.Equal(t, []solvers.Mode{"fresh", "reset"}, ps[1].ModeList(), "inherited")
	require.Equal(t, map[string]string{"10": "ok"}, ps[1].ExitCodes)
}

func TestLoadProfilesErrors(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"unknown field": {`x = solver.profile(name = "x", binares = ["x"])`, `did you mean "binaries"?`},
		"wrong type":    {`x = solver.profile(name = "x", binaries = "x")`, "binaries: got a string, want a list of strings"},
		"number":        {`x = solver.profile(name = "x", binaries = 3)`, "for keyword binaries: got int"},
		"no base":       {`x = solver.profile(name = "x", base = "y", binaries = ["x"])`, `no profile "y"`},
		"place":         {"\n\nx = solver.profile(1)", "solvers/x.star:3"},
		"grammar":       {"x = (", "solvers/x.star:1"},
	} {
		_, err := newProfileFiles(library(map[string]string{"solvers/x.star": tc.text})).load("")
		require.ErrorContains(t, err, tc.want, name)
	}
}

func TestFindSaysWhatWasLookedFor(t *testing.T) {
	s := NewSupply(library(map[string]string{
		"solvers/a.star": `one = solver.profile(name = "one", binaries = ["no-such-program-1"])`,
	}))
	_, err := s.Find("one", "2.0")
	var missing *catalogue.MissingError
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "no usable one 2.0 on this machine: looked for no-such-program-1")
	require.ErrorContains(t, err, "install it")
	_, err = s.Find("onne", "")
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, `no solver is named "onne" (did you mean "one"?)`)
}
