package driver

import (
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Recorder writes the calls that a run makes of its library as a C program: each is written before it is made, so the
// program of a run that crashes ends with the crashing call. As in the bindings, every argument and result is a word,
// so the program needs no header: it declares the functions that it calls.
type Recorder struct {
	w      io.Writer
	values map[uintptr]string // name in the C program of a word that a call has returned or written
	outs   map[uintptr]string // arrays that calls write, by address
	sizes  map[uintptr]int    // of these, in words
	allocs []alloc
	known  map[string]int // functions that are declared, with the number of their arguments
	n      int
}

// alloc is a piece of the scratch memory that a call gets.
type alloc struct {
	kind allocKind
	at   uintptr
	size int // in elements
	text string
}

type allocKind uint8

const (
	allocBytes allocKind = iota
	allocText
	allocRefs
	allocU32s
	allocOut
)

// Recording is the recorder of this process, nil for none.
var Recording *Recorder

// unrecorded are functions that only query the error state.
var unrecorded = map[string]bool{"Z3_get_error_code": true, "yices_error_code": true, "cvc5_has_error": true}

// checks are the functions that check satisfiability, with their return values for sat and unsat.
var checks = map[string][2]string{
	"bitwuzla_check_sat": {"10", "20"}, "bitwuzla_check_sat_assuming": {"10", "20"}, "boolector_sat": {"10", "20"},
	"boolector_limited_sat": {"10", "20"},
	"Z3_solver_check":       {"1", "-1"}, "Z3_solver_check_assumptions": {"1", "-1"},
	"yices_check_context": {"3", "4"}, "yices_check_context_with_assumptions": {"3", "4"},
}

// prologues has the first calls of the bindings when they load a library.
var prologues = map[string]string{
	"bitwuzla":  "    extern word bitwuzla_set_abort_callback(word);\n    bitwuzla_set_abort_callback((word)on_error);\n",
	"boolector": "    extern word boolector_set_abort(word);\n    boolector_set_abort((word)on_abort);\n",
	"yices2":    "    extern word yices_init(void);\n    yices_init();\n",
}

const recordHead = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uintptr_t word; /* every argument and result: pointers, numbers and truth values */

static void answer(word r, int sat, int unsat) { puts((int)r == sat ? "sat" : (int)r == unsat ? "unsat" : "unknown"); fflush(stdout); }
static void text(word r) { puts(r ? (const char *)r : ""); fflush(stdout); }
static inline void on_error(const char *message) { printf("error: %s\n", message); fflush(stdout); }
static inline void on_abort(const char *message) { on_error(message); exit(1); }

int main(void)
{
    (void)answer; (void)text; (void)on_abort;
`

// RecordTail is the end of a recorded program.
const RecordTail = "    return 0;\n}\n"

// StartRecording writes the head of the program and starts recording.
func StartRecording(w io.Writer, kind, path string) {
	Recording = &Recorder{w: w, values: map[uintptr]string{}, outs: map[uintptr]string{}, sizes: map[uintptr]int{},
		known: map[string]int{}}
	command, link := CompileC(path, "trace.c", "trace")
	text := strings.Join(command, " ")
	if link != "" {
		text = "ln -sf " + command[5] + " " + link + " && " + text
	}
	fmt.Fprintf(w, "/* The calls that a trace makes of %s:\n   %s */\n%s%s", filepath.Base(path),
		strings.ReplaceAll(text, "$", "\\$"), recordHead, prologues[kind])
}

// CompileC returns the command that compiles a program of a library's calls, with the dynamic loader of the library's
// own tree where there is one. link is the name under which the program looks for the library, if the library has
// another: a link of that name must lie beside the program.
func CompileC(library, source, program string) (command []string, link string) {
	if real, err := filepath.EvalSymlinks(library); err == nil {
		library = real
	}
	cmd := []string{"cc", "-O0", "-o", program, source, library, "-Wl,-rpath,$ORIGIN:" + filepath.Dir(library)}
	if f, err := elf.Open(library); err == nil {
		if names, err := f.DynString(elf.DT_SONAME); err == nil && len(names) == 1 && names[0] != filepath.Base(library) {
			link = names[0]
		}
		f.Close()
	}
	if l := LoaderOf(library); l != nil {
		cmd = append(cmd, "-Wl,--allow-shlib-undefined", "-Wl,--disable-new-dtags", "-Wl,--dynamic-linker="+l[0],
			"-Wl,-rpath,"+l[2])
	}
	return cmd, link
}

func (r *Recorder) writeLine(format string, args ...any) {
	fmt.Fprintf(r.w, "    "+format+"\n", args...)
}

// Comment says which call of the trace the next calls of the library are for.
func (r *Recorder) Comment(text string) {
	text = strings.ReplaceAll(display.Line(text), "*/", "* /")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + " ..."
	}
	r.writeLine("/* %s */", text)
}

// noteAlloc notes a piece of scratch memory.
func (r *Recorder) noteAlloc(k allocKind, at uintptr, size int, text string) {
	r.allocs = append(r.allocs, alloc{k, at, size, text})
}

// argumentText is the expression of an argument.
func (r *Recorder) argumentText(x uintptr) string {
	for i := len(r.allocs) - 1; i >= 0; i-- {
		a := &r.allocs[i]
		width := uintptr(8)
		switch a.kind {
		case allocBytes, allocText:
			width = 1
		case allocU32s:
			width = 4
		}
		if x < a.at || x >= a.at+width*uintptr(max(a.size, 1)) {
			continue
		}
		switch a.kind {
		case allocText:
			return "(word)" + quoteC(a.text)
		case allocRefs:
			return "(word)(word[]){" + r.joinElements(a.size, func(i int) string {
				return r.argumentText(WordAt(a.at, i))
			}) + "}"
		case allocU32s:
			return "(word)(uint32_t[]){" + r.joinElements(a.size, func(i int) string {
				return fmt.Sprint(Word32At(a.at, 4*i))
			}) + "}"
		case allocBytes:
			return "(word)(unsigned char[]){" + r.joinElements(a.size, func(i int) string {
				return fmt.Sprint(ByteAt(a.at, i))
			}) + "}"
		}
		// The library writes there, so it has to be a variable that later calls of the program can read.
		name := r.outs[a.at]
		if name == "" {
			r.n++
			name = fmt.Sprintf("w%d", r.n)
			r.outs[a.at], r.sizes[a.at] = name, a.size
			r.writeLine("word %s[%d] = {0};", name, a.size)
		}
		if offset := int(x-a.at) / 8; offset > 0 {
			return fmt.Sprintf("(word)(%s + %d)", name, offset)
		}
		return "(word)" + name
	}
	if name, ok := r.values[x]; ok {
		return name
	}
	if x > 1<<16 {
		return fmt.Sprintf("%#xu", x)
	}
	return fmt.Sprint(x)
}

func (r *Recorder) joinElements(n int, element func(i int) string) string {
	if n == 0 {
		return "0"
	}
	parts := make([]string, n)
	for i := range parts {
		parts[i] = element(i)
	}
	return strings.Join(parts, ", ")
}

// recordCall writes a call that is about to be made, and returns the name of its result.
func (r *Recorder) recordCall(name string, args []uintptr) string {
	if unrecorded[name] {
		return ""
	}
	parts := make([]string, len(args))
	for i, x := range args {
		parts[i] = r.argumentText(x)
	}
	callee := name
	types := "void"
	if len(args) > 0 {
		types = strings.TrimSuffix(strings.Repeat("word, ", len(args)), ", ")
	}
	if n, ok := r.known[name]; !ok {
		r.known[name] = len(args)
		r.writeLine("extern word %s(%s);", name, types)
	} else if n != len(args) {
		callee = "((word (*)(" + types + "))" + name + ")"
	}
	r.n++
	result := "v" + strconv.Itoa(r.n)
	r.writeLine("word %s = %s(%s); (void)%s;", result, callee, strings.Join(parts, ", "), result)
	return result
}

// noteResult records the words that a call has returned and written.
func (r *Recorder) noteResult(name, result string, value uintptr) {
	if result == "" {
		return
	}
	r.noteWord(value, result)
	for at, array := range r.outs {
		for i := range r.sizes[at] {
			r.noteWord(WordAt(at, i), fmt.Sprintf("%s[%d]", array, i))
		}
	}
	if a, ok := checks[name]; ok {
		r.writeLine("answer(%s, %s, %s);", result, a[0], a[1])
	}
	switch {
	case name == "cvc5_result_is_sat":
		r.writeLine("if (%s & 0xff) puts(\"sat\");", result)
	case name == "cvc5_result_is_unsat":
		r.writeLine("puts(%s & 0xff ? \"unsat\" : \"unknown\");", result)
	}
}

// noteWord records the name of a word in the C program; small words are written as numbers.
func (r *Recorder) noteWord(value uintptr, name string) {
	if value >= 4096 {
		r.values[value] = name
	}
}

// noteElement notes a word that was read from an array of the library. The program reads it at once, too: the library
// may put another result there by the time it is needed.
func (r *Recorder) noteElement(p uintptr, i int, value uintptr) {
	name, ok := r.values[p]
	if !ok || value < 4096 {
		return
	}
	r.n++
	element := "v" + strconv.Itoa(r.n)
	r.writeLine("word %s = ((word *)%s)[%d]; (void)%s;", element, name, i, element)
	r.noteWord(value, element)
}

// printText lets the program print a text that a call has returned.
func (r *Recorder) printText(p uintptr) {
	if name, ok := r.values[p]; ok && strings.HasPrefix(name, "v") {
		r.writeLine("text(%s);", name)
	}
}

// forgetScratch drops the records of scratch memory.
func (r *Recorder) forgetScratch() {
	r.allocs = r.allocs[:0]
	clear(r.outs)
	clear(r.sizes)
}

// quoteC writes a text as a C literal.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString("\\n")
		case c < ' ' || c > '~' || c == '?': // three digits end an escape, and ?? may begin a trigraph
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// DescribeCall is the comment of a call.
func DescribeCall(a *smt.Arena, c *solvers.Call) string {
	text := ""
	if c.Instance != 0 {
		text = fmt.Sprintf("solver %d: ", c.Instance)
	}
	switch c.Kind {
	case solvers.CallCommand:
		return text + string((&smtlib.Printer{}).Command(nil, a, &c.Command))
	case solvers.CallMakeSort:
		return text + "make the sort " + a.SortString(c.Sort)
	case solvers.CallMakeTerm:
		return text + "make the term " + a.Brief(c.Term)
	case solvers.CallNew:
		return text + "open"
	case solvers.CallDelete:
		return text + "close"
	case solvers.CallTransfer:
		return text + fmt.Sprintf("take terms over from solver %d", c.From)
	}
	return text + c.Name
}

// LoaderOf returns the start of an argument vector that loads a library with the dynamic loader of its own tree, if
// there is one: a library from a newer system cannot be loaded with this system's C library.
func LoaderOf(path string) []string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || isSystem(real) { // a system library has no tree of its own
		return nil
	}
	dir := filepath.Dir(real)
	var folders []string
	loader := ""
	triplets, _ := filepath.Glob(filepath.Join(dir, "*-linux-gnu"))
	for _, d := range append([]string{dir, filepath.Dir(dir)}, triplets...) {
		if hits, _ := filepath.Glob(filepath.Join(d, "ld-linux*.so.*")); len(hits) > 0 && loader == "" {
			loader = hits[0]
		}
		if d != filepath.Dir(dir) || strings.HasSuffix(dir, "-linux-gnu") {
			folders = append(folders, d)
		}
	}
	if loader == "" || isSystem(loader) {
		return nil
	}
	return []string{loader, "--library-path", strings.Join(folders, ":")}
}

// isSystem reports whether a file lies outside of any tree of its own.
func isSystem(path string) bool {
	for _, top := range []string{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"} {
		if strings.HasPrefix(path, top) {
			return true
		}
	}
	return false
}
