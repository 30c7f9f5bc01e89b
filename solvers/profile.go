package solvers

import (
	"path"
	"slices"
	"strings"
)

// Profile is what is known about a kind of solver. It is data only: every exported field is a keyword of profile() in
// stdlib/solvers/*.star, under the name of its `star` tag. The `doc` tag is the text of the generated reference.
type Profile struct {
	Name        string   `star:"name" doc:"name of the kind of solver, such as \"z3\"; solvers found get this name and their version"`
	Doc         string   `star:"doc" doc:"one line about the solver"`
	Binaries    []string `star:"binaries" doc:"file names to look for, with * and ? and [0-9] as in a shell"`
	VersionArgs []string `star:"version_args" doc:"arguments that make it print its version"`
	Version     string   `star:"version" doc:"regular expression over that output; its first group is the version"`
	Theories    []string `star:"theories" doc:"theories it decides or at least reads, named as in the operator table"`
	Modes       []string `star:"modes" doc:"modes it can be used in: fresh, reset, incremental"`

	Args            []string `star:"args" doc:"arguments in every mode"`
	TryArgs         []string `star:"try_args" doc:"more arguments in every mode, each dropped when the binary found does not know it"`
	FreshArgs       []string `star:"fresh_args" doc:"arguments in mode fresh; the file name follows"`
	SessionArgs     []string `star:"session_args" doc:"arguments that make it read commands from its standard input and answer each at once"`
	IncrementalArgs []string `star:"incremental_args" doc:"arguments it needs for push and pop or more than one check-sat"`
	Env             []string `star:"env" doc:"environment settings, each NAME=value"`

	FileOptions   []string `star:"file_options" doc:"options that name files or write them, beyond those that smtlark knows (out, trace, *-file, ...), with * for any text: left out of cases, refused in campaign files"`
	Preamble      []string `star:"preamble" doc:"commands sent before every case"`
	ModelOptions  []string `star:"model_options" doc:"commands that must come before a case whose model is asked for"`
	CoreOptions   []string `star:"core_options" doc:"commands that must come before a case whose unsat core is asked for"`
	OptionProbe   string   `star:"option_probe" doc:"an argument with {name} and {value} by which the solver is asked, before a campaign, whether it knows an option: for those that ignore unknown ones in scripts; empty: the way of option_format tells"`
	OptionFormat  string   `star:"option_format" doc:"how an option given in a campaign file is passed: text with {name} and {value}; a command if it starts with (, else an argument"`
	TimeLimit     string   `star:"time_limit" doc:"how its own time limit for one check-sat is spelt, with {ms}; a command or an argument"`
	ResourceLimit string   `star:"resource_limit" doc:"how its deterministic resource limit for one check-sat is spelt, with {n}; a command or an argument"`

	Echo                string            `star:"echo" doc:"how (echo \"m\") prints: plain (m), quoted (\"m\"), or any"`
	ModelEquations      bool              `star:"model_equations" doc:"get-model prints equations (= NAME VALUE), one behind the other, and nothing for a model of nothing"`
	RoundsReals         bool              `star:"rounds_reals" doc:"get-model and get-value print irrational numbers as decimals of six places near them, and no rational number so: such values accuse nobody"`
	Errors              string            `star:"errors" doc:"where it reports errors: stdout, stderr, or both"`
	ContinuesAfterError bool              `star:"continues_after_error" doc:"it goes on with the next command after an error"`
	CheckSatUsing       bool              `star:"check_sat_using" doc:"it has (check-sat-using TACTIC); other solvers are given (check-sat) in its place"`
	HasReset            bool              `star:"has_reset" doc:"it has (reset); else mode reset starts a process a case"`
	ResetKeepsOptions   bool              `star:"reset_keeps_options" doc:"options set by a case outlive (reset), so a case with other options needs a new process"`
	OutlivesReset       []string          `star:"outlives_reset" doc:"texts of commands whose effect outlives (reset), such as \":named\": after a case that contains one, the process is replaced"`
	OutlivesPop         []string          `star:"outlives_pop" doc:"texts of commands whose effect outlives (pop 1), such as \"(define-sort\": the same for mode incremental"`
	ChecksStatus        bool              `star:"checks_status" doc:"it compares its answer with (set-info :status ...) and fails if they differ; that command is then left out"`
	MultilineTokens     bool              `star:"multiline_tokens" doc:"reads quoted symbols and strings that span lines from a pipe; else such cases run from a file"`
	MemoryLimit         string            `star:"memory_limit" doc:"what the memory limit bounds: data (RLIMIT_DATA), address (RLIMIT_AS), or resident (sampled; for builds with sanitizers)"`
	ExitCodes           map[string]string `star:"exit_codes" doc:"exit codes with a meaning beyond 0: number to class, such as {\"10\": \"ok\", \"101\": \"out-of-memory\"}"`

	Crash       []string `star:"crash" doc:"regular expressions: a crash (looked for in error messages and stderr only)"`
	Assertion   []string `star:"assertion" doc:"regular expressions: a failed internal check"`
	Refusal     []string `star:"refusal" doc:"regular expressions: input understood and declined"`
	Unsupported []string `star:"unsupported" doc:"regular expressions: not supported"`
	ParseError  []string `star:"parse_error" doc:"regular expressions: input rejected as ill-formed or ill-sorted"`
	Timeout     []string `star:"timeout" doc:"regular expressions: stopped by its own time or resource limit"`
	OutOfMemory []string `star:"out_of_memory" doc:"regular expressions: stopped for lack of memory"`
	Ignore      []string `star:"ignore" doc:"regular expressions: lines of stderr that mean nothing (warnings)"`

	APIExclude   []string `star:"api_exclude" doc:"what API fuzzing leaves out, for the solver lacks it: a list of solver.lacks(...)"`
	APIAvoid     []string `star:"api_avoid" doc:"what API fuzzing leaves out though the solver takes it, as solver.lacks(...), too: what it has is known to be wrong, or means something else. api_exclude says what a solver lacks; before a campaign it is asked, and what it says counts"`
	APIConflicts []string `star:"api_conflicts" doc:"theories that API fuzzing does not take together: a list of solver.conflict(...)"`
	APIOptions   []string `star:"api_options" doc:"options that API fuzzing may set: a list of solver.option(...)"`
	APIOperators []string `star:"api_operators" doc:"operators beyond the operator table that API fuzzing applies: a list of solver.operator(...)"`
	APIValues    []string `star:"api_values" doc:"special values that API fuzzing makes: a list of solver.value(...)"`
	APIActions   []Action `star:"api_actions" doc:"commands of this kind of solver that walks of API fuzzing may call, each a solver.action(...)"`
	APILimits    []string `star:"api_limits" doc:"options that bound one check-sat and can be set at any time, 0 lifting them, that API fuzzing may use: a list of solver.limit(...)"`

	Contracts            []string `star:"contracts" doc:"operators that it takes more widely than its documentation says: a list of solver.contract(...). API fuzzing keeps to them, and a finding beyond them says so and ranks last"`
	Configurations       []string `star:"configurations" doc:"configurations beside the default one that its developers vouch for, the safest first: a list of solver.configuration(...); every reduced finding is tried in them"`
	ConfigurationExclude []string `star:"configuration_exclude" doc:"what a configuration lacks: a list of solver.lacks(..., configuration = NAME)"`
	Experimental         []string `star:"experimental" doc:"arguments that its developers call experimental, with * as in a shell; a finding that needs one says so"`
	DebugBinaries        []string `star:"debug_binaries" doc:"file names of debug builds, which are asked about reduced findings only; by default NAME-debug and NAME-debug-*"`
	BuildArgs            []string `star:"build_args" doc:"arguments that make it print how it was configured and built"`
	Tracker              string   `star:"tracker" doc:"address of its issue tracker"`
	Issue                string   `star:"issue" doc:"what the tracker's template asks for, filled in on the page of a finding: Markdown with {description} {input} {command} {output} {expected} {evidence} {version} {versions} {build} {configurations} {system} {options} {category} {interface}"`

	compiled compiledProfile
}

// DebugBuild returns the profile of the debug builds of a kind of solver.
func (p *Profile) DebugBuild() (*Profile, error) {
	return ProfileFromMap(map[string]any{"name": p.Name + "-debug", "base": p.Name, "binaries": p.DebugBinaries}, p)
}

// IsExperimental reports whether the developers call an argument experimental.
func (p *Profile) IsExperimental(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return slices.ContainsFunc(p.Experimental, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // Validate has looked at the pattern
		return ok
	})
}

// ModeList returns the modes of the profile in table order.
func (p *Profile) ModeList() []Mode {
	var modes []Mode
	for _, m := range Modes() {
		for _, name := range p.Modes {
			if name == string(m) {
				modes = append(modes, m)
			}
		}
	}
	return modes
}
