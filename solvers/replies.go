package solvers

import (
	"regexp"
	"strconv"
	"strings"
)

// Replies says what the solver's answers, messages and exit codes mean.
type Replies struct {
	Errors         string            `star:"errors" doc:"where it reports errors: stdout, stderr, or both"`
	ModelEquations bool              `star:"model_equations" doc:"get-model prints equations (= NAME VALUE), one after the other, and nothing for an empty model"`
	ProofsUnasked  bool              `star:"proofs_unasked" doc:"prints proofs without being asked, and knows no get-proof: the command is not sent"`
	RoundsReals    bool              `star:"rounds_reals" doc:"get-model and get-value print irrational numbers (and no rational ones) rounded to six decimal places: such values are not checked"`
	ExitCodes      map[string]string `star:"exit_codes" doc:"exit codes with a meaning beyond 0: number to class, such as {\"10\": \"ok\", \"101\": \"out-of-memory\"}"`

	Crash       []string `star:"crash" doc:"regular expressions: a crash (looked for in error messages and stderr only)"`
	Assertion   []string `star:"assertion" doc:"regular expressions: a failed internal check"`
	Refusal     []string `star:"refusal" doc:"regular expressions: input understood and declined"`
	Unsupported []string `star:"unsupported" doc:"regular expressions: not supported"`
	ParseError  []string `star:"parse_error" doc:"regular expressions: input rejected as ill-formed or ill-sorted"`
	Timeout     []string `star:"timeout" doc:"regular expressions: stopped by its own time or resource limit"`
	OutOfMemory []string `star:"out_of_memory" doc:"regular expressions: stopped for lack of memory"`
	Ignore      []string `star:"ignore" doc:"regular expressions: lines of output that mean nothing (warnings)"`

	// Compiled by check from the fields above.
	patterns [len(classNames)]*regexp.Regexp // by class; nil where there are none
	ignored  *regexp.Regexp
	exits    map[int]Class
}

func (r *Replies) check() error {
	if err := checkWord("errors", r.Errors, "stdout stderr both"); err != nil {
		return err
	}
	if err := r.compileExits(); err != nil {
		return err
	}
	return r.compilePatterns()
}

func (r *Replies) compileExits() error {
	r.exits = make(map[int]Class, len(r.ExitCodes))
	for code, name := range r.ExitCodes {
		n, err := strconv.Atoi(code)
		if err != nil || n < 0 || n > 255 {
			return fieldError("exit_codes", "has the key %q; want a number from 0 to 255", code)
		}
		c, ok := ParseClass(name)
		if !ok {
			return fieldError("exit_codes", "gives %q for %s; want a class such as \"ok\" or \"out-of-memory\"", name, code)
		}
		r.exits[n] = c
	}
	return nil
}

func (r *Replies) compilePatterns() error {
	for _, c := range []struct {
		field string
		list  []string
		into  **regexp.Regexp
	}{
		{"crash", r.Crash, &r.patterns[Crash]}, {"assertion", r.Assertion, &r.patterns[Assertion]},
		{"refusal", r.Refusal, &r.patterns[Refusal]}, {"unsupported", r.Unsupported, &r.patterns[Unsupported]},
		{"parse_error", r.ParseError, &r.patterns[ParseError]}, {"timeout", r.Timeout, &r.patterns[Timeout]},
		{"out_of_memory", r.OutOfMemory, &r.patterns[OutOfMemory]}, {"ignore", r.Ignore, &r.ignored},
	} {
		re, err := anyOf(c.list)
		if err != nil {
			return fieldError(c.field, "is no regular expression: %v", err)
		}
		*c.into = re
	}
	return nil
}

// anyOf compiles a list of expressions into one that matches where any of them does; nil for an empty list.
func anyOf(list []string) (*regexp.Regexp, error) {
	if len(list) == 0 {
		return nil, nil
	}
	for _, e := range list {
		if _, err := regexp.Compile(e); err != nil {
			return nil, err
		}
	}
	// Each expression gets its own group, so that its flags, such as (?i), and alternatives do not affect the others.
	return regexp.Compile("(?m:(?:" + strings.Join(list, ")|(?:") + "))")
}
