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

// passed are the variables of the user's environment that solvers get: where programs and libraries are found, the
// language of messages, what sanitizers are told, what Java and Windows need to start anything. All others stay here:
// among them are tokens and the sockets of agents. Names that end in * stand for all that begin so; smtlark's own
// settings say which process started a solver.
var passed = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_*", "LANG", "LANGUAGE", "LC_*", "TZ", "JAVA_HOME", "SMTLARK_*",
	"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "TSAN_OPTIONS",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "PATHEXT", "COMSPEC", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// SolverEnviron is the environment of a solver: what is passed of this process's, and settings of its own behind
// that. Where it runs confined, Environ adds the folder for its files.
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

// Environ returns an environment in which a folder is the home, and the place of temporary files. Of settings of one
// name the last holds.
func Environ(env []string, dir string) []string {
	cmd := exec.Cmd{Env: append(slices.Clip(env), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir, "HOME="+dir)}
	return cmd.Environ() // with one setting a name: C programs take the first
}
