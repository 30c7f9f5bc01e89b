//go:build linux || darwin

package reduction

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/reduce"
	"github.com/smtlark/smtlark/engine/reduce/driver"
	"github.com/smtlark/smtlark/engine/reduce/property"
	"github.com/smtlark/smtlark/engine/semantics/eval"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/solvers/tracetext"
)

// TestMain lets this program be the process that holds a C library.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "native" {
		if err := native.Serve(os.Args[2], os.Args[3], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestReduceRealTraces reduces the traces of testdata/traces, which are those of real errors of solvers, in two ways:
// as the verb does, and by the algorithm of the peer (ddmin over lines, arguments, terms by others of their sort) with
// the same question asked. The result has no line that can go. The table is for docs/performance.md; seconds are those
// of the wall, in brackets those of CPU time, of the solvers' processes, too:
//
//	SMTLARK_DEEP=1 go test ./cmd/smtlark/internal/reduction -run ReduceRealTraces -timeout 2h -v
func TestReduceRealTraces(t *testing.T) {
	if os.Getenv("SMTLARK_DEEP") == "" {
		t.Skip("takes minutes; SMTLARK_DEEP=1 runs it")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	native.Self = []string{exe, "native"}
	t.Cleanup(func() { native.Self = nil })
	t.Chdir(filepath.Join("..", "..", "..", "..")) // where .solvers is
	files, err := filepath.Glob(filepath.Join("cmd", "smtlark", "testdata", "traces", "*.trace"))
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".trace")
		t.Run(name, func(t *testing.T) { reduceRealTrace(t, name, file) })
	}
}

func reduceRealTrace(t *testing.T, name, file string) {
	ctx := context.Background()
	o := &reduceOptions{jobs: 1, repeat: 1, timeout: 10 * time.Second, quiet: true}
	c, err := o.read(file)
	require.NoError(t, err)
	on := strings.Fields(strings.TrimPrefix(c.Trace.Notes[0], "solver: "))
	o.solvers, o.native = on[:1], on[1] == "native"
	set, err := o.targets(ctx)
	if err != nil {
		t.Skip(err)
	}
	r := &reduction{e: &command.Env{Stderr: io.Discard}, o: o, c: c, sets: [][]solvers.Target{set}}
	defer r.close()
	first := property.Ask(ctx, set, c, true, solvers.Limits{})
	prop, truth, err := r.property(ctx, first)
	require.NoError(t, err)
	if !truth {
		c.Expect, c.Witness = nil, nil
	}
	limit := property.Limit(first)
	ask := property.NewRunner(prop, r.sets[:1], limit)
	shown, _ := ask.Measure(ctx, driver.Detach(c), 4)
	if shown == 0 {
		t.Skipf("it does not show here: %s", r.describe(first[0]))
	}
	before := tracetext.CountCalls(tracetext.AppendTo(nil, c.Trace))
	spent := stopwatch(r)
	res, err := r.reduceCase(ctx, reduce.Options{Asker: ask, Jobs: 1})
	require.NoError(t, err)
	ours := spent()
	small := tracetext.Text(res.Case.WithTruth())
	t.Log("\n" + small)
	after := tracetext.CountCalls([]byte(small))
	q := &question{ctx, ask, c}
	p := &peer{shows: q.shows}
	p.lines = units(small)
	for i := range p.lines {
		require.False(t, p.try(slices.Delete(slices.Clone(p.lines), i, i+1)), "line %q can go:\n%s", p.lines[i], small)
	}
	p.lines, p.tests = units(tracetext.Text(c.WithTruth())), 0
	spent = stopwatch(r)
	p.reduce()
	theirs := spent()
	t.Log("the peer's:\n" + strings.Join(p.lines, ""))
	t.Logf("| %s | %s | %d | %d (%.1f %%) | %d | %s | %d (%.1f %%) | %d | %s |", name, strings.Join(on, " "), before,
		after, 100*float64(after)/float64(before), res.Stats.Tests, ours,
		len(p.lines), 100*float64(len(p.lines))/float64(before), p.tests, theirs)
}

// stopwatch returns a function for the time since, on the wall and of the CPU.
func stopwatch(r *reduction) func() string {
	used := func() (sum time.Duration) {
		r.close() // processes that were not waited for are not counted
		for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
			var u unix.Rusage
			_ = unix.Getrusage(who, &u)
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		return sum
	}
	begun, before := time.Now(), used()
	return func() string {
		return fmt.Sprintf("%.1f (%.1f)", time.Since(begun).Seconds(), (used() - before).Seconds())
	}
}

// question is a property to check for the texts of traces.
type question struct {
	ctx  context.Context
	ask  *property.Runner
	orig *testcase.Case
}

// shows reports whether the text of a trace has the property. A text that cannot be read does not. If the property
// needs the right answer, it follows from the witness.
func (q *question) shows(text string) bool {
	trace, err := tracetext.Read([]byte(text), nil)
	if err != nil || len(trace.Calls) == 0 {
		return false
	}
	c := testcase.FromTrace("peer", trace)
	if q.orig.Witness != nil {
		m, err := modelreader.Parse(c.Script, q.orig.Witness.Text())
		if err != nil {
			return false
		}
		for i := range c.Script.CheckSats() {
			answer := smtlib.None
			if eval.CheckTerms(eval.New(c.Script.Arena, m), c.Script.AssertsAt(i)).Result == value.True {
				answer = smtlib.Sat
			}
			c.Expect = append(c.Expect, answer)
		}
	}
	return q.ask.Ask(q.ctx, driver.Detach(c)).Holds
}

// units are the calls of a trace with their return lines.
func units(text string) (out []string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "return"):
			out[len(out)-1] += line
		default:
			out = append(out, line)
		}
	}
	return out
}

// peer is the peer's algorithm, as the reference describes it: to a fixed point, ddmin over lines from the end, which
// begins anew with halves after a success; ddmin over the arguments of n-ary terms and get-value; and terms replaced by
// others of their sort in halves of the lines that use them.
type peer struct {
	lines []string
	shows func(string) bool
	tests int
}

// maxPeerTests bounds a reduction, which would take some minutes else.
const maxPeerTests = 12000

func (p *peer) try(lines []string) bool {
	if p.tests++; p.tests > maxPeerTests {
		return false
	}
	return p.shows("# smtlark trace 1\n" + strings.Join(lines, ""))
}

func (p *peer) reduce() {
	for before := ""; before != strings.Join(p.lines, ""); {
		before = strings.Join(p.lines, "")
		p.ddmin()
		p.arguments()
		p.substitute()
	}
}

func (p *peer) ddmin() {
	for size := len(p.lines) / 2; size >= 1; {
		cut := false
		for at := len(p.lines); at > 0 && !cut; at -= size {
			less := slices.Delete(slices.Clone(p.lines), max(0, at-size), at)
			if cut = p.try(less); cut {
				p.lines = less
			}
		}
		if size /= 2; cut {
			size = len(p.lines) / 2
		}
	}
}

var nary = []string{"and", "or", "=", "distinct", "bvand", "bvor", "bvxor", "bvadd", "bvmul", "concat", "+", "*", "-", "<", "<=", ">", ">="}

func (p *peer) arguments() {
	for i := range p.lines {
		for k := 0; ; k++ {
			w := strings.Split(p.lines[i], " ")
			at, least := 2, 1 // get-value N t...
			if slices.Contains(w, "mk-term") && slices.Contains(nary, w[2]) {
				at, least = 4, 2
			} else if !slices.Contains(w, "get-value") || w[1] != "get-value" {
				break
			}
			n, err := strconv.Atoi(strings.TrimSpace(w[at]))
			if err != nil || n <= least || k >= n {
				break
			}
			last := strings.HasSuffix(w[at+1+k], "\n")
			less := slices.Delete(slices.Clone(w), at+1+k, at+2+k)
			less[at] = strconv.Itoa(n - 1)
			line := strings.Join(less, " ")
			if last {
				line += "\n"
			}
			lines := slices.Clone(p.lines)
			lines[i] = line
			if p.try(lines) {
				p.lines = lines
				k--
			}
		}
	}
}

func (p *peer) substitute() {
	sorts := map[string]string{}
	var terms []string
	for _, l := range p.lines {
		call, id, ok := strings.Cut(strings.TrimSpace(l), "\nreturn ")
		w := strings.Fields(call)
		if !ok || !strings.HasPrefix(id, "t") {
			continue
		}
		s := w[2]
		if w[1] == "mk-term" {
			s = w[3]
		}
		sorts[id] = s
		terms = append(terms, id)
	}
	for i := len(terms) - 1; i > 0; i-- {
		for _, by := range terms[:i] {
			if sorts[by] != sorts[terms[i]] || p.tests > maxPeerTests {
				continue
			}
			if p.inLines(terms[i], by) {
				break
			}
		}
	}
}

// inLines puts a term in the place of another in halves of the lines that use it.
func (p *peer) inLines(old, by string) bool {
	var uses []int
	for i, l := range p.lines {
		call, _, _ := strings.Cut(l, "\nreturn")
		if slices.Contains(strings.Fields(call), old) {
			uses = append(uses, i)
		}
	}
	did := false
	for queue := [][]int{uses}; len(queue) > 0; queue = queue[1:] {
		if len(queue[0]) == 0 {
			continue
		}
		lines := slices.Clone(p.lines)
		for _, i := range queue[0] {
			w := bytes.Fields([]byte(lines[i][:strings.IndexByte(lines[i], '\n')]))
			for k := range w {
				if string(w[k]) == old {
					w[k] = []byte(by)
				}
			}
			lines[i] = fmt.Sprintf("%s%s", bytes.Join(w, []byte(" ")), lines[i][strings.IndexByte(lines[i], '\n'):])
		}
		if p.try(lines) {
			p.lines, did = lines, true
		} else if n := len(queue[0]); n > 1 {
			queue = append(queue, queue[0][:n/2], queue[0][n/2:])
		}
	}
	return did
}
