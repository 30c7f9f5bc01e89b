package fakesolver

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
)

// plant is one cause of failure that shows whenever a case uses an operator.
type plant struct{ operator, what string }

// parsePlants reads OP=WHAT,OP=WHAT,... See the package comment.
func parsePlants(text string) ([]plant, error) {
	var out []plant
	for _, part := range strings.Split(text, ",") {
		op, what, ok := strings.Cut(part, ":")
		kind, _, _ := strings.Cut(what, "/")
		if !ok || plantKinds[kind] == "" {
			return nil, fmt.Errorf("--plant=%s: want OPERATOR:WHAT,... with WHAT of wrong, assert/PLACE, trace/FRAMES, glibc/TEXT, segv", part)
		}
		out = append(out, plant{op, what})
	}
	return out, nil
}

var plantKinds = map[string]string{
	"wrong":  "the opposite answer",
	"assert": "a failed assertion at a place of the source",
	"trace":  "an AddressSanitizer report with frames",
	"glibc":  "an error of the allocator",
	"segv":   "nothing but the signal",
}

// usesOperator reports whether a command applies an operator.
func usesOperator(text, operator string) bool {
	return strings.Contains(text, "("+operator+" ") || strings.Contains(text, "(_ "+operator+" ")
}

// runPlantedFault carries out the cause that is due, if any. Details that vary between real cases (addresses, process
// numbers, terms in messages) are derived from the text of the case.
func (s *solver) runPlantedFault(answer string) (code int, stop, done bool) {
	if s.pushed && s.depth == 0 {
		return 0, false, false
	}
	for _, p := range s.plants {
		if !s.used[p.operator] {
			continue
		}
		kind, arg, _ := strings.Cut(p.what, "/")
		h := fnv.New64a()
		h.Write([]byte(s.asserted))
		salt := h.Sum64()
		if kind == "wrong" {
			s.last = map[string]string{"sat": "unsat", "unsat": "sat"}[answer]
			s.printLine(s.last)
			return 0, false, true
		}
		s.out.Flush()
		switch kind {
		case "assert":
			fmt.Fprintf(s.errOut, "fakesolver: /build/%x/src/%s: Assertion `m_count == %d' failed.\n", salt>>48, arg, 7)
		case "trace":
			fmt.Fprintf(s.errOut, "=================================================================\n==%d==ERROR: AddressSanitizer: heap-use-after-free on address 0x%012x at pc 0x%012x bp 0x7ffd00000000 sp 0x7ffd00000008\nREAD of size 8 at 0x%012x thread T0\n", os.Getpid(), salt>>16, salt>>17, salt>>16)
			for i, f := range strings.Split(arg, "<") {
				fmt.Fprintf(s.errOut, "    #%d 0x%012x in %s(expr*, unsigned int) /src/core/%s.cpp:%d:%d\n", i, salt>>18+uint64(i), f, f, 10+i, salt%9)
			}
			fmt.Fprintf(s.errOut, "    #9 0x%012x in main /src/main.cpp:3:1\n\nfreed by thread T0 here:\n    #0 0x%012x in operator delete(void*) asan.cpp:1\n    #1 0x%012x in gc%d() /src/gc.cpp:1\n", salt, salt, salt, salt%50)
		case "glibc":
			fmt.Fprintln(s.errOut, strings.ReplaceAll(arg, "_", " "))
		case "segv":
			dieBy(sigSEGV)
		}
		dieBy(sigABRT)
	}
	return 0, false, false
}
