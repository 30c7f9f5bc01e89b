package triage

import (
	"path"
	"strings"
)

// Fault locates the death of a solver, by its output.
type Fault struct {
	Kind   string   // what the message calls it, such as "heap-use-after-free" or "free(): invalid pointer"; may be empty
	Place  string   // of a failed assertion: file: function: condition, or file:line when no more is known
	Frames []string // the innermost functions of the solver's own, at most maxFrames
	// HandedOver says that a function for checks made the check on a condition that its caller passed. Then the caller
	// distinguishes causes, and the place does not.
	HandedOver bool
}

// checker matches the functions that solvers wrap checks into, such as precondition(bool p) of SymFPU's traits, and
// handed what they check: a parameter or a constant.
var (
	checker = latePattern(`(?i)(^|::)(pre_?|post_?)?(condition|invariant|assert|check|require|ensure|verify|expects?)$`)
	handed  = latePattern(`^!?[A-Za-z_]\w*$`)
)

// maxFrames is the number of frames that count. Large fuzzers compare the top two to three frames of crashes: more
// would split one cause by its callers, fewer would merge causes that share a helper.
const maxFrames = 3

// assertion is one form in which failed checks are reported; the groups are named file, line, func and cond.
var assertions = []*pattern{
	// assert() of the C library: prog: file:line: function: Assertion `cond' failed.
	latePattern("(?m)(?P<file>[\\w./+-]+\\.\\w+):(?P<line>\\d+): (?P<func>.*?): Assertion [`'\"‘](?P<cond>.*?)['\"’] failed"),
	// The same as macOS and musl write it: Assertion failed: (cond), function f, file x.c, line 3; Assertion failed: cond
	// (x.c: f: 3)
	latePattern(`Assertion failed: \(?(?P<cond>.*?)\)?, function (?P<func>.*?), file (?P<file>[^,\s]+), line (?P<line>\d+)`),
	latePattern(`Assertion failed: (?P<cond>.*?) \((?P<file>[^:\s]+): (?P<func>[^:]*): (?P<line>\d+)\)`),
	// z3
	latePattern(`(?:ASSERTION VIOLATION|UNEXPECTED CODE WAS REACHED\.?|Failed to verify: (?P<cond2>[^\n]*))\s+File: (?P<file>\S+)\s+Line: (?P<line>\d+)[ \t]*\n?[ \t]*(?P<cond>[^\n]*)`),
	// cvc4, cvc5, Bitwuzla: Fatal failure within F at FILE:LINE, Check failure, cond
	latePattern(`Fatal failure within (?P<func>[^\n]*?) at (?P<file>[^\s:]+):(?P<line>\d+)\s*(?:(?:Check|Assertion) failure\s*)?(?P<cond>[^\n]*)`),
	// Rust: thread 'main' panicked at 'cond', file:line:col, and the newer panicked at file:line:col:\ncond
	latePattern(`panicked at '(?P<cond>[^\n]*?)', (?P<file>[^\s:]+):(?P<line>\d+):\d+`),
	latePattern(`panicked at (?P<file>[^\s:']+):(?P<line>\d+):\d+:?\s*(?P<cond>[^\n]*)`),
	// Anything that names a file of source code and a line.
	latePattern(`(?P<file>[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|rs|java|scala|ml|go)):(?P<line>\d+)`),
}

// frames are the forms of a line of a stack trace; the groups are named n (its number, if it has one) and func.
var frames = []*pattern{
	latePattern(`^\s*#(?P<n>\d+)\s+0x[0-9a-fA-F*]+ in (?P<func>.+?)(?: (?:/|\.\./|\(|<null>)\S*.*)?$`),                 // sanitizers
	latePattern(`^\s*#(?P<n>\d+)\s+(?:0x[0-9a-fA-F*]+ in )?(?P<func>.+?) \(.*\)(?: at \S+:\d+| from \S+)?\s*$`),        // gdb
	latePattern(`^\s*\S*\((?P<func>[^()+]+)\+0x[0-9a-fA-F*]+\)\s*\[0x[0-9a-fA-F*]+\]\s*$`),                             // backtrace_symbols of the C library
	latePattern(`^\s*#(?P<n>\d+)\s+0x[0-9a-fA-F*]+\s+(?P<func>[\w:~<>,.$ ]+?)(?:\(.*)?(?: \+ (?:0x)?[0-9a-f]+)?\s*$`),  // LLVM
	latePattern(`^\s*at (?P<func>[\w.$<>]+)\([\w.]*(?::\d+)?\)\s*$`),                                                   // Java
	latePattern(`^\s*(?P<n>\d+):\s+(?:0x[0-9a-fA-F*]+ - )?(?P<func>[A-Za-z_<][\w:<>, &$*]*?)(?:::h[0-9a-f]{16})?\s*$`), // Rust
}

// runtimeFrame matches functions that are on top of every stack of their kind and say nothing.
var runtimeFrame = latePattern(`^(_*(GI_)*_*(abort|raise|gsignal|kill|killpg|pthread_kill\w*|restore_rt|assert_fail\w*|assert|libc_\w+|fortify_fail|stack_chk_fail|libc_message|malloc_printerr|int_free|int_malloc|malloc\w*|free\w*|realloc\w*|calloc\w*|cfree|memcpy\w*|memmove\w*|memset\w*|strlen\w*|strcmp\w*)|` +
	`_*gmp[a-z]*_\w+|_*interceptor_.*|_*(asan|sanitizer|ubsan|msan|tsan|lsan|hwasan)[_:].*|operator (new|delete).*|std::terminate.*|std::rt::.*|std::panicking::.*|core::panicking::.*|rust_begin_unwind|rust_panic.*|_*cxa_\w+|_*gxx_personality.*|_*gnu_cxx::.*|__verbose_terminate_handler.*|<signal handler called>|_start|start_thread|_*clone3?|\?\?|java\.lang\..*)$`)

// sanitizer names the kind of fault that a sanitizer or the C library reports.
var sanitizer = []*pattern{
	latePattern(`ERROR: \w+Sanitizer: ([\w-]+)`),
	latePattern(`runtime error: ([^\n]+)`),
	latePattern(`(?m)^((?:free|malloc|realloc|munmap_chunk|corrupted|double free)\b[^\n]*)`),
	latePattern(`(\*\*\* [^\n]* \*\*\*)`),
	latePattern(`terminate called after throwing an instance of '([^']+)'`),
}

// HeapCorruption is the kind of fault in which the allocator of the C library finds its own data overwritten. Its
// message, and the function that happens to call it, show where the damage was noticed, not its cause.
const HeapCorruption = "heap corruption"

// broken matches the messages of the GNU C library's allocator about its own corrupted data (malloc/malloc.c,
// malloc_printerr and its assertions).
var broken = latePattern(`\b(?:(?:free|malloc|calloc|realloc|munmap_chunk|mremap_chunk|malloc_consolidate|tcache_\w+)\(\): [a-z]|double free or corruption|corrupted (?:size vs\. prev_size|double-linked list)|malloc\.c:\d+: \w+: Assertion)`)

// IsHeapCorruption reports whether a message, or an output, is that of an allocator that found its data overwritten.
func IsHeapCorruption(output string) bool { return broken.MatchString(output) }

// FaultOf parses the output of a solver that crashed: its stderr and stdout, or its normalised message.
func FaultOf(output string) Fault {
	var f Fault
	for _, re := range sanitizer {
		if m := re.FindStringSubmatch(output); m != nil {
			f.Kind = Loose(m[1])
			break
		}
	}
	if IsHeapCorruption(output) {
		return Fault{Kind: HeapCorruption}
	}
	f.Frames = innermostFrames(output)
	for _, re := range assertions {
		m := re.FindStringSubmatch(output)
		if m == nil {
			continue
		}
		part := func(name string) string {
			if i := re.SubexpIndex(name); i >= 0 {
				return strings.TrimSpace(m[i])
			}
			return ""
		}
		file, fn, cond := path.Base(part("file")), functionName(part("func")), normalizedCondition(part("cond2")+part("cond"))
		switch {
		case fn == "" && cond == "" && (f.Kind != "" || len(f.Frames) > 0): // a place in a stack trace
		case cond == "":
			f.Place = joinNonEmpty(": ", file+":"+part("line"), fn)
		default:
			f.Place = joinNonEmpty(": ", file, fn, cond)
			f.HandedOver = checker.MatchString(fn) && handed.MatchString(cond)
		}
		break
	}
	return f
}

// innermostFrames returns the innermost functions of the first stack trace.
func innermostFrames(output string) []string {
	var out []string
	last := -1
	for _, line := range strings.Split(output, "\n") {
		for _, re := range frames {
			m := re.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if i := re.SubexpIndex("n"); i >= 0 {
				n := 0
				for _, d := range m[i] {
					n = 10*n + int(d-'0')
				}
				if n <= last { // another stack: of the allocation, of another thread
					return out
				}
				last = n
			}
			if name := functionName(m[re.SubexpIndex("func")]); name != "" && !runtimeFrame.MatchString(name) {
				out = append(out, name)
			}
			break
		}
		if len(out) == maxFrames {
			break
		}
	}
	return out
}

var (
	anonymous    = latePattern(`\(anonymous(?: namespace| class)?\)|\{anonymous\}|\{lambda[^}]*\}`)
	templateArgs = latePattern(`<[^<>]*>`)
	returnType   = latePattern(`^.*[\s*&]([\w:~$]+)$`)
	constMark    = latePattern(`\s+(const|\[clone [^\]]*\]|\[abi:\w+\])$`)
)

// functionName strips parameters, template arguments and the return type off a function's signature.
func functionName(sig string) string {
	s := strings.TrimSpace(anonymous.ReplaceAllString(sig, "anon"))
	if i := strings.Index(s, "("); i > 0 && !strings.HasSuffix(s[:i], "operator") {
		s = s[:i]
	}
	for {
		t := templateArgs.ReplaceAllString(s, "")
		if t == s {
			break
		}
		s = t
	}
	s = constMark.ReplaceAllString(strings.TrimSpace(s), "")
	if m := returnType.FindStringSubmatch(s); m != nil && !strings.Contains(s, "operator") {
		s = m[1]
	}
	return s
}

// normalizedCondition is the text of a failed check without parts that differ from run to run.
func normalizedCondition(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(s), `")`), ".")
	return clipText(address.ReplaceAllString(s, "0x*"))
}

var (
	address = latePattern(`0[xX][0-9a-fA-F*]{4,}`)
	digits  = latePattern(`\b\d+(\.\d+)?\b`)
	quoted  = latePattern("'[^'\n]*[ \\d()][^'\n]*'|\"[^\"\n]*[ \\d()][^\"\n]*\"|`[^`'\n]*[ \\d()][^`'\n]*['`]|\\|[^|\n]*\\|")
	inner   = latePattern(`\([^()]* [^()]*\)`)
)

// Loose normalizes a message so that quoted parts of the input no longer matter: terms, literals, names with digits,
// numbers. It is coarser than solvers.Normalize and made for comparing, not for reading.
func Loose(message string) string {
	s := address.ReplaceAllString(message, "0x*")
	s = quoted.ReplaceAllString(s, "'...'")
	for range 8 {
		t := inner.ReplaceAllString(s, "[...]")
		if t == s {
			break
		}
		s = t
	}
	return clipText(strings.Join(strings.Fields(digits.ReplaceAllString(s, "#")), " "))
}

func clipText(s string) string {
	const most = 200
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// joinNonEmpty joins the parts that are not empty.
func joinNonEmpty(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
