package triage

import (
	"path"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/language/logic"
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Component says which part of a solver a finding is about, as far as that can be told: of a fault the source file,
// with its folder below src where the output has it, or the namespace of the innermost function of a stack trace; else
// the theories of the operators in the skeleton of the reduced case, or, where those are of Core alone, of the sorts
// that it names (see Operators). "" when nothing is known. Developers ask for reports of one component together (z3
// issue 4306).
func Component(output string, skeleton []string) string {
	if name := componentOfFault(output); name != "" {
		return name
	}
	var theories []string
	for _, op := range smt.Ops() {
		if slices.Contains(skeleton, op.Name) && !slices.Contains(theories, op.Theory) {
			theories = append(theories, op.Theory)
		}
	}
	besides := func() bool { return slices.ContainsFunc(theories, func(t string) bool { return t != "Core" }) }
	if !besides() {
		for k := range smt.KindParam {
			if t := logic.TheoryOf[k]; t != "" && slices.Contains(skeleton, sortMark+k.String()) && !slices.Contains(theories, t) {
				theories = append(theories, t)
			}
		}
	}
	if besides() {
		theories = slices.DeleteFunc(theories, func(t string) bool { return t == "Core" })
	}
	slices.Sort(theories)
	return strings.Join(theories, ", ")
}

// sourceFile matches a path of a source file with a line.
var sourceFile = latePattern(`(?P<file>[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|rs)):\d+|File: (?P<file2>[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp))\b`)

func componentOfFault(output string) string {
	f := FaultOf(output)
	if f.Place != "" {
		name, _, _ := strings.Cut(f.Place, ":")
		for _, line := range strings.Split(output, "\n") {
			m := sourceFile.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if file := m[1] + m[2]; path.Base(file) == name {
				if i := strings.LastIndex(file, "src/"); i >= 0 && (i == 0 || file[i-1] == '/') {
					return file[i+len("src/"):]
				}
			}
		}
		return name
	}
	if len(f.Frames) == 0 || strings.Contains(f.Frames[0], "+0x") { // a function without a name
		return ""
	}
	if i := strings.LastIndex(f.Frames[0], "::"); i > 0 {
		return f.Frames[0][:i]
	}
	return f.Frames[0]
}
