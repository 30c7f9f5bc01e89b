package mutate

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/confine"
)

// subjects say by words in its name what an option has to do with.
var subjects = []struct {
	words []string
	texts []string
}{
	{[]string{"nl"}, []string{"(* "}},
	{[]string{"arith", "int", "dio", "cut", "som", "brab", "simplex", "lp"}, []string{"Int", "Real"}},
	{[]string{"array", "arrays", "store"}, []string{"Array"}},
	{[]string{"bv", "bitblast", "extracts", "sext", "int2bv", "gauss"}, []string{"BitVec"}},
	{[]string{"string", "strings", "str", "seq", "re"}, []string{"String"}},
	{[]string{"mbqi", "ematching", "matching", "cbqi", "quant", "quantifiers", "macro", "macros", "miniscope", "qi", "inst", "fmf", "finite"}, []string{"(forall", "(exists"}},
	{[]string{"ite"}, []string{"(ite "}},
	{[]string{"fp", "fpa"}, []string{"FloatingPoint"}},
	{[]string{"dt", "datatypes"}, []string{"declare-datatype"}},
	{[]string{"uf", "ackermann", "ackermannize"}, []string{"declare-fun"}},
	{[]string{"sets"}, []string{"(Set "}},
}

// OptionSubjects returns parts of SMT-LIB text with which an option of a solver has to do, as far as its name tells; "" stands for any formula.
func OptionSubjects(name string) []string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	for _, w := range words {
		if _, ok := smt.LookupOp(w); ok && strings.HasPrefix(w, "bv") {
			return []string{"(" + w + " "}
		}
	}
	for _, s := range subjects {
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(s.words, w) }) {
			return s.texts
		}
	}
	return []string{""}
}

// listing is how a kind of solver is asked for its options.
var listing = map[string]string{"z3": "-p", "cvc5": "--help", "bitwuzla": "--help", "boolector": "--help"}

// listingTime is how long a solver may take to list its options.
const listingTime = 10 * time.Second

// ListedOptions asks a solver for the switches that it has, and returns lines of options as profiles have them: without those that by their names
// change answers, output or limits. Those for experts are left out unless they are wanted.
func ListedOptions(ctx context.Context, s *solvers.Solver, expert bool) ([]string, error) {
	flag, ok := listing[s.Profile.Name]
	if !ok || s.Library != "" {
		return nil, fmt.Errorf("%s lists no options", s.Name)
	}
	ctx, cancel := context.WithTimeout(ctx, listingTime)
	defer cancel()
	words := append(slices.Clone(s.Exec), flag)
	var text strings.Builder
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout = &text
	if err := confine.Run(cmd); err != nil && text.Len() == 0 {
		return nil, fmt.Errorf("asking %s for its options: %w", s.Name, err)
	}
	return readListing(text.String(), expert), nil
}

// modules of z3's parameters that are about how it decides formulas.
var modules = []string{"smt", "sat", "rewriter", "nlsat", "pi", "solver", "combined_solver"}

// readListing reads switches from what solvers print: "    name (bool) ..." below "[module] m", and "--name", where "[*]",
// "[true]" or "[false]" follows, perhaps lines below. Those that are for experts say so.
func readListing(text string, expert bool) (out []string) {
	module, block := "", ""
	end := func() {
		name := block
		if i := strings.Index(name, "--"); i >= 0 {
			name = name[i+2:]
		}
		name = strings.TrimRight(strings.Fields(name + " ?")[0], ",")
		isSwitch := strings.Contains(block, "[*]") || strings.Contains(block, "[true]") || strings.Contains(block, "[false]")
		if block != "" && isSwitch && !isMeddling(name) && (expert || !strings.Contains(block, "EXPERTS")) {
			out = append(out, name+" bool")
		}
		block = ""
	}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			end()
		case words[0] == "[module]" && len(words) > 1:
			module = strings.TrimSuffix(words[1], ",")
		case len(words) > 1 && words[1] == "(bool)":
			if slices.Contains(modules, module) && !isMeddling(words[0]) {
				out = append(out, module+"."+words[0]+" bool")
			}
		case strings.HasPrefix(words[0], "-"):
			end()
			block = line
		case block != "":
			block += line
		}
	}
	end()
	return out
}

// meddling words in names of options tell that they change what is asked, printed or allowed.
var meddling = []string{
	"?", "=", "<", "dump", "trace", "log", "file", "proof", "prf", "core", "valid", "model", "verb", "stat", "dimacs", "drat", "print", "debug", "check", "produce",
	"incremental", "interactive", "only", "weak", "extensional", "int2bv", "partial", "div0", "unspecified", "unicode", "encoding", "sygus", "synth", "limit", "timeout", "memory",
	"help", "copyright", "version", "show", "quiet", "force", "strict", "abduct", "interpol", "output", "assign", "assum", "unsat", "learn", "parse", "input",
	"abort", "enum", "ho-", "sep-", "ignore", "local_search", "lookahead", "threads", "lang", "write", "safe", "filesystem", "early-exit", "segv", "difficulty",
	"solution", "unsound", "int_blast", "as-bv", "int-as", "no-", "exp", "aiger", "cnf", "letify", "slice", "underflow", "cardinality", "pb.", "fmf-fun",
}

// isMeddling reports whether an option by its name changes what is asked, printed or allowed.
func isMeddling(name string) bool {
	return slices.ContainsFunc(meddling, func(w string) bool { return strings.Contains(name, w) })
}
