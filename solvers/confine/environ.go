package confine

import (
	"os"
	"os/exec"
	"slices"
	"strings"
)

// EnvPass names the environment variable with names of further variables, separated by commas, that solvers get as
// well, such as that of a license.
const EnvPass = "SMTLARK_SOLVER_ENV"

// passed lists the variables of the user's environment that solvers get: paths of programs and libraries, the language
// of messages, options of sanitizers, and what Java and Windows need to start programs. All others are not passed on,
// because they include tokens and sockets of agents. A name that ends in * stands for all names with that prefix;
// smtlark's own variables say which process started a solver.
var passed = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_*", "LANG", "LANGUAGE", "LC_*", "TZ", "JAVA_HOME", "SMTLARK_*",
	"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "TSAN_OPTIONS",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "PATHEXT", "COMSPEC", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// SolverEnviron returns the environment of a solver: the passed variables of this process, followed by the solver's own
// settings. Where it runs confined, Environ adds the folder for its files.
func SolverEnviron(own ...string) []string {
	more := strings.Split(os.Getenv(EnvPass), ",")
	var env []string
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if isPassed(name) || slices.Contains(more, name) {
			env = append(env, setting)
		}
	}
	return append(env, own...)
}

func isPassed(name string) bool {
	name = strings.ToUpper(name) // as Windows compares them
	return slices.ContainsFunc(passed, func(p string) bool {
		beginning, all := strings.CutSuffix(p, "*")
		return p == name || all && strings.HasPrefix(name, beginning)
	})
}

// Environ returns an environment in which a folder is the home folder and the folder of temporary files. If a name is
// set several times, the last setting counts.
func Environ(env []string, dir string) []string {
	cmd := exec.Cmd{Env: append(slices.Clip(env), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir, "HOME="+dir)}
	return cmd.Environ() // with one setting a name: C programs take the first
}
