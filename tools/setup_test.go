package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSetup: on a machine that lacks solvers, setup installs or unpacks them, goes on with those that are there, or
// says what to do. All programs are stand-ins that write down how they were called.
func TestSetup(t *testing.T) {
	const (
		locked  = "echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)'; exit 100"
		offline = "echo 'E: Failed to fetch http://deb.debian.org/debian'; exit 100"
		fails   = "exit 1"
	)
	script, err := os.ReadFile("setup.sh")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		apt, sudo, fetch, smtlark string
		ci                        bool
		onPath                    []string
		calls                     []string // of apt-get and fetch-solvers.sh, by their verbs
		code                      int
		said                      string
	}{
		"nothing is missing":          {onPath: []string{"z3", "cvc5"}},
		"smtlark finds some":          {smtlark: `printf '"kind": "z3"\n"kind": "cvc5"\n'`},
		"smtlark finds none":          {smtlark: "exit 69", calls: []string{"install"}},
		"the tests want the packages": {ci: true, smtlark: `printf '"kind": "z3"\n"kind": "cvc5"\n'`, onPath: []string{"chromium"}, calls: []string{"install", "fetch"}},
		"apt is locked":               {apt: locked, calls: []string{"install", "fetch"}, said: "another apt has held the lock for a minute; unpacking"},
		"apt is locked in CI":         {ci: true, apt: locked, onPath: []string{"chromium"}, calls: []string{"install"}, code: 69, said: "held the lock"},
		"apt has no network":          {apt: offline, calls: []string{"install", "update", "fetch"}, said: "apt cannot install z3 cvc5 (E: Failed to fetch http://deb.debian.org/debian); unpacking"},
		"no root":                     {sudo: fails, calls: []string{"fetch"}, said: "installing z3 cvc5 needs root; unpacking"},
		"no network at all":           {apt: offline, fetch: fails, calls: []string{"install", "update", "fetch"}, code: 69, said: "name a folder that has some in SMTLARK_SOLVERS"},
		"no network, but a solver":    {apt: offline, fetch: fails, onPath: []string{"z3"}, calls: []string{"install", "update", "fetch"}, said: "going on with those that are here"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			calls := filepath.Join(dir, "calls")
			write := func(path, body string) {
				path = filepath.Join(dir, path)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o777))
			}
			write("tools/setup.sh", string(script))
			write("tools/fetch-solvers.sh", "echo fetch >>"+calls+"\n"+c.fetch)
			write("path/go", "exit 0")
			write("path/python3", "exit 0")
			write("path/id", "echo 1000")
			write("path/sudo", c.sudo+"\nshift\nexec \"$@\"")
			write("path/apt-get", `for word; do case $word in install | update) echo $word >>`+calls+`;; esac; done`+"\n"+c.apt)
			for _, program := range c.onPath {
				write("path/"+program, "exit 0")
			}
			if c.smtlark != "" {
				write("bin/smtlark", c.smtlark)
			}
			for _, program := range []string{"dirname", "grep", "tail", "sh", "true"} {
				at, err := exec.LookPath(program)
				require.NoError(t, err)
				require.NoError(t, os.Symlink(at, filepath.Join(dir, "path", program)))
			}
			run := exec.Command("/bin/sh", filepath.Join(dir, "tools", "setup.sh"))
			run.Env = []string{"PATH=" + filepath.Join(dir, "path")}
			if c.ci {
				run.Env = append(run.Env, "CI=true")
			}
			out, _ := run.CombinedOutput()
			require.Equal(t, c.code, run.ProcessState.ExitCode(), "%s", out)
			require.Contains(t, string(out), c.said)
			text, _ := os.ReadFile(calls) // there is none where nothing was called
			require.Equal(t, c.calls, append([]string(nil), strings.Fields(string(text))...), "%s", out)
		})
	}
}
