package dialogue_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/internal/processtest"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/frontend"
	"github.com/smtlark/smtlark/solvers/frontend/cache"
	"github.com/smtlark/smtlark/solvers/frontend/dialogue"
	"github.com/smtlark/smtlark/solvers/rule"
)

// replies are commands, and the replies to them; a reply that ends in ... may go on.
var replies = []struct{ name, text, want string }{
	{"answers", "(set-logic QF_LIA)(declare-const x Int)(assert (> x 3))(check-sat)(assert (< x 3))(check-sat)", "sat\nunsat\n"},
	{"levels", "(declare-const p Bool)(push 1)(assert p)(push 2)(assert (not p))(check-sat)(pop 2)(check-sat)(pop)(assert (not p))(check-sat)",
		"unsat\nsat\nsat\n"},
	{"success", "(set-option :print-success true)(declare-const p Bool)(assert p)(push 1)(pop 1)(check-sat)(set-info :status sat)(exit)(check-sat)",
		"success\nsuccess\nsuccess\nsuccess\nsuccess\nsat\nsuccess\nsuccess\n"},
	{"assuming", "(set-option :produce-unsat-assumptions true)(declare-const p Bool)(declare-const q Bool)(assert (not p))(check-sat-assuming (q))(check-sat-assuming (p q))(get-unsat-assumptions)(check-sat)",
		"sat\nunsat\n(p)\nsat\n"},
	{"values", "(declare-const x Int)(assert (= x 3))(check-sat)(get-value (x (+ x 1) (> x 5)))", "sat\n((x 3) ((+ x 1) 4) ((> x 5) false))\n"},
	{"terms as given", "(set-option :produce-unsat-assumptions true)(declare-const x Int)(define-fun k () Int (+ x 1))(define-fun p () Bool (> x 9))(assert (= (let ((y k))  y) 4)) (check-sat)(get-value ((let ((y x)) ( + y y)) k (+ (* (+ x 1) (+ x 1)) (* (+ x 1) (+ x 1)) (+ x 1))))(get-assertions)(check-sat-assuming ( p))(get-unsat-assumptions)(check-sat-assuming ((not  (<= x 9))))(get-unsat-assumptions)",
		"sat\n(((let ((y x)) (+ y y)) 6) (k 4) ((+ (* (+ x 1) (+ x 1)) (* (+ x 1) (+ x 1)) (+ x 1)) 36))\n((= (let ((y k)) y) 4))\nunsat\n(p)\nunsat\n((not (<= x 9)))\n"},
	{"values of later names", "(declare-const x Int)(assert (= x 3))(check-sat)(define-fun y () Int (* 2 x))(get-value (y))", "sat\n((y 6))\n"},
	{"core", "(set-option :produce-unsat-cores true)(declare-const x Int)(assert (! (> x 3) :named a))(assert (! (= x x) :named b))(assert (! (< x 2) :named c))(check-sat)(get-unsat-core)",
		"unsat\n(a c)\n"},
	{"assignment", "(set-option :produce-assignments true)(declare-const p Bool)(assert (! (not p) :named n))(assert (or (! p :named m) true))(check-sat)(get-assignment)",
		"sat\n((n true) (m false))\n"},
	{"assertions", "(declare-const p Bool)(assert (! p :named a))(push 1)(assert (or p (not p)))(get-assertions)(pop 1)(get-assertions)",
		"((! p :named a)\n (or p (not p)))\n((! p :named a))\n"},
	{"echo", "(echo \"a \"\"b\"\"\")", "\"a \"\"b\"\"\"\n"},
	{"options", "(get-option :produce-models)(set-option :random-seed 7)(get-option :random-seed)(get-option :none)(set-option :none 1)(set-option :print-success 3)",
		"true\n7\nunsupported\nunsupported\n(error \"line 1 column 119: set-option: the value of :print-success is true or false, not 3\")\n"},
	{"information", "(get-info :name)(get-info :error-behavior)(push 3)(get-info :assertion-stack-levels)",
		"(:name \"smtlark\")\n(:error-behavior continued-execution)\n(:assertion-stack-levels 3)\n"},
	{"resets", "(set-option :print-success true)(set-logic QF_LIA)(declare-const x Int)(assert false)(reset-assertions)(check-sat)(declare-const x Bool)(assert x)(check-sat)(reset)(set-logic QF_LRA)(declare-const x Real)(assert (> x 0.5))(check-sat)",
		"success\nsuccess\nsuccess\nsuccess\nsuccess\nsat\nsuccess\nsuccess\nsat\nsuccess\nsat\n"},
	{"global declarations", "(set-option :global-declarations true)(push 1)(declare-const x Int)(define-fun y () Int (+ x 1))(assert (= x 3))(check-sat)(pop 1)(assert (= y 9))(check-sat)(get-value (x))",
		"sat\nsat\n((x 8))\n"},
	{"global names", "(set-option :global-declarations true)(push 1)(declare-const x Bool)(assert (! x :named n))(pop 1)(assert (not x))(check-sat)(check-sat-assuming (n))(set-option :global-declarations false)(assert n)(check-sat)",
		"sat\nunsat\n(error \"line 1 column 150: set-option: :global-declarations is set before the problem, for what is declared is declared by it\")\nunsat\n"},
	{"global names within", "(set-option :global-declarations true)(push 1)(declare-const x Bool)(define-fun f () Bool (! x :named n))(assert (! (or (! x :named a) false) :named b))(pop 1)(assert f)(check-sat)(push 1)(pop 1)(assert (not n))(check-sat)",
		"sat\nunsat\n"},
	{"definitions", "(define-sort I () Int)(define-const a I 2)(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ 1 (f (- n 1)))))(define-funs-rec ((g ((n Int)) Int)) ((f n)))(define-fun h ((n I)) I (+ n a))(assert (= (h 1) 3))(assert (distinct (f 1) 1))(check-sat)",
		"unsat\n"},
	{"datatypes", "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-datatype E ((red) (green)))(declare-sort S 0)(declare-fun f (S) E)(declare-const l L)(declare-const s S)(assert ((_ is cons) l))(assert (= (head l) 4))(assert (= (f s) green))(check-sat)(get-value ((head l) (f s)))",
		"sat\n(((head l) 4) ((f s) green))\n"},
	{"errors", "(declare-const x Int)\n(assert (> x y))\n foo (assert (> x 1)\n  true)(assert (! (> x 0) :named n))(assert (! (< x 0) :named n))(pop 1)\n)(check-sat)(get-unsat-core)",
		"(error \"line 2 column 14: unknown constant y: neither declared nor an operator\")\n" +
			"(error \"line 3 column 2: expected a command, found \"\"foo\"\"\")\n(error \"line 4 column 3: expected `)` of assert, found `true`\")\n" +
			"(error \"line 4 column 63: n is already declared here with these sorts; a symbol is declared once until a pop or reset takes it back\")\n" +
			"(error \"line 4 column 71: pop of 1 levels where there are 0\")\n(error \"line 5 column 1: expected a command, found \"\")\"\"\")\nsat\n" +
			"(error \"line 5 column 13: get-unsat-core needs (set-option :produce-unsat-cores true) before the problem\")\n"},
	{"wrong widths", "(declare-const a (_ BitVec 8))(assert (= (bvadd a #x0001) a))(check-sat)", "(error \"line 1 column 51: bvadd: argument 2 has sort (_ BitVec 16), ...\nsat\n"},
	{"no answer", "(declare-const x Int)(get-model)(check-sat)(assert (= x 1))(get-value (x))",
		"(error \"line 1 column 22: get-model needs a check-sat, and nothing asserted, pushed or popped since\")\nsat\n" +
			"(error \"line 1 column 60: get-value needs a check-sat, and nothing asserted, pushed or popped since\")\n"},
	{"a name with another sort before", "(set-option :produce-unsat-assumptions true)(push 1)(declare-const x Bool)(pop 1)(push 1)(declare-const x Int)(pop 1)(declare-const x Bool)(assert x)(check-sat-assuming ((not x)))(get-unsat-assumptions)",
		"unsat\n((not x))\n"},
	{"channels", "(set-option :print-success true)(set-option :diagnostic-output-channel \"stdout\")(set-option :regular-output-channel \"stdout\")(set-option :diagnostic-output-channel \"/tmp/x\")(set-option :regular-output-channel \"stderr\")",
		"success\nsuccess\nsuccess\nunsupported\nunsupported\n"},
	{"two logics", "(set-logic QF_LIA)(set-logic QF_LRA)(declare-const x Int)(assert (= x 2))(check-sat)",
		"(error \"line 1 column 19: the logic is set a second time; only a reset lets it be set again\")\nsat\n"},
	{"cut short", "(check-sat)(assert (and", "sat\n(error \"line 1 column 12: this ( has no )\")\n"},
	{"cut short in a string", "(echo \"abc", "(error \"line 1 column 1: this ( has no )\")\n"},
	{"bytes", "\x00\x01(check-sat)\xff\xfe (check-sat)", "(error ...\nsat\n(error ...\nsat\n"},
}

// TestReplies: all of it, in every mode, whatever solver is below; in mode cached a second time, when the answers are
// known.
func TestReplies(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		known, err := cache.Open(cache.Storage{})
		require.NoError(t, err)
		for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Batch, frontend.Cached, frontend.Cached} {
			targets := targetsOf(t, name)
			for _, c := range replies {
				t.Run(fmt.Sprintf("%s/%s/%s", name, mode, c.name), func(t *testing.T) {
					got := strings.SplitAfter(talk(t, frontend.Options{Mode: mode, Cache: known}, targets, c.text), "\n")
					want := strings.SplitAfter(c.want, "\n")
					for i := range want {
						if head, ok := strings.CutSuffix(want[i], "...\n"); ok && i < len(got) && strings.HasPrefix(got[i], head) {
							got[i] = want[i]
						}
					}
					require.Equal(t, strings.Join(want, ""), strings.Join(got, ""))
				})
			}
		}
	}
}

// TestCachedQuestions checks that answered questions are not asked again, even with other names or in another order,
// and that the models fit the present question.
func TestCachedQuestions(t *testing.T) {
	known, err := cache.Open(cache.Storage{})
	require.NoError(t, err)
	targets := targetsOf(t, "z3")
	ask := func(text string) (replies string, asked int) {
		s, err := frontend.New(smt.NewArena(), targets, frontend.Options{Mode: frontend.Cached, Cache: known})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close()) }()
		var out bytes.Buffer
		require.NoError(t, dialogue.New(s, strings.NewReader(text), &out).Run(context.Background()))
		return out.String(), s.Stats()[0].Asked
	}
	first := "(declare-const x Int)(declare-const y Int)(declare-const unused (Array Int Bool))(assert (> x 3))(assert (= y (* 2 x)))(assert (< x 5))(check-sat)(get-value (x y))"
	got, asked := ask(first)
	require.Equal(t, "sat\n((x 4) (y 8))\n", got)
	require.Equal(t, 1, asked)
	got, asked = ask("(declare-fun f (Int) Int)(declare-const b Int)(declare-const a Int)(declare-const unused (Array Int Bool))(assert (< a 5))(assert (> a 3))(push 1)(assert (= b (* 2 a)))" +
		"(check-sat)(get-value (a b (f a)))(get-model)(assert (= (* a a) 81))(check-sat)(pop 1)(check-sat)")
	require.Regexp(t, `^sat\n\(\(a 4\) \(b 8\) \(\(f a\) 0\)\)\n\((?s:.*)define-fun unused(?s:.*)\)\nunsat\nsat\n$`, got)
	require.Equal(t, 2, asked, "only the contradiction is new, and its core")
	got, asked = ask(first + "(maximize x)(check-sat)(get-objectives)")
	require.Equal(t, "sat\n((x 4) (y 8))\nsat\n(objectives\n (x 4)\n)\n", got)
	require.Zero(t, asked, "that there is nothing better is linear arithmetic")
}

// TestOwnCommands checks that commands beyond SMT-LIB go to a solver that has them, and are refused by one that lacks
// them.
func TestOwnCommands(t *testing.T) {
	text := "(declare-const x Int)(assert (< x 10))(check-sat)(eval (+ 1 1))(declare-tactic-like-thing x)(check-sat)"
	got := talk(t, frontend.Options{}, targetsOf(t, "z3"), text)
	require.Contains(t, got, "sat\n2\n(error \"line 1 column 64: declare-tactic-like-thing: z3")
	require.True(t, strings.HasSuffix(got, "\nsat\n"), got)
	// Assertions whose head only the solver knows, with its numbers, are its own, in a cache too.
	text = "(declare-const p Bool)(declare-const q Bool)(push 1)(assert ((_ at-most 1) p q))(assert p)(check-sat)(get-value (q))(pop 1)(assert ((_ at-most 2) p q))(assert p)(assert q)(check-sat)(assert (no-such-thing p))(check-sat)"
	for _, mode := range []frontend.Mode{frontend.Incremental, frontend.Batch, frontend.Cached} {
		got = talk(t, frontend.Options{Mode: mode}, targetsOf(t, "z3"), text)
		require.Regexp(t, `^sat\n\(\(q false\)\)\nsat\n\(error "line 1 column \d+: assert: z3.*no-such-thing.*"\)\nsat\n$`, got)
	}
	// The second solver has the command that the first one lacks.
	got = talk(t, frontend.Options{}, targetsOf(t, "cvc5", "z3"), "(declare-const x Int)(display (+ 1 1))")
	require.Equal(t, "(+ 1 1)\n", got)
}

// client talks with a dialogue over pipes, a command at a time.
type client struct {
	t   testing.TB
	in  *io.PipeWriter
	out *bufio.Reader
}

func newClient(t testing.TB, s *frontend.FrontEnd) *client {
	in, w := io.Pipe()
	r, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := dialogue.New(s, in, out).Run(context.Background())
		out.CloseWithError(io.EOF)
		done <- err
	}()
	t.Cleanup(func() {
		w.Close()
		r.Close() // nobody reads the rest where a test has failed
		<-done
		require.NoError(t, s.Close())
	})
	return &client{t, w, bufio.NewReader(r)}
}

// ask sends commands of which the last one is due one line, and returns that.
func (c *client) ask(text string) string {
	_, err := io.WriteString(c.in, text)
	require.NoError(c.t, err)
	line, err := c.out.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimSpace(line)
}

// growingQueries is a client that asks question after question with push and pop, each with a known answer.
func growingQueries(t *testing.T, s *frontend.FrontEnd, n int, before func(i int)) {
	c := newClient(t, s)
	require.Equal(t, "sat", c.ask("(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (> x 0))(assert (= y (* 3 x)))(check-sat)"))
	for i := range n {
		before(i)
		k := i % 50
		want := "sat"
		if k%3 != 0 {
			want = "unsat"
		}
		got := c.ask(fmt.Sprintf("(push 1)(assert (= y %d))(check-sat)", 3+k))
		require.Equal(t, want, got, "query %d", i)
		if want == "sat" {
			require.Equal(t, fmt.Sprintf("((x %d))", 1+k/3), c.ask("(get-value (x))"))
		}
		_, err := io.WriteString(c.in, "(pop 1)\n")
		require.NoError(t, err)
		if k == 25 {
			require.Equal(t, "sat", c.ask(fmt.Sprintf("(assert (> (+ x %d) 0))(check-sat)", i)))
		}
	}
}

// TestKilledSolversAreReplaced: the solver below is killed again and again, at any time, and all is answered right.
func TestKilledSolversAreReplaced(t *testing.T) {
	for _, name := range []string{"z3", "cvc5"} {
		t.Run(name, func(t *testing.T) {
			s, err := frontend.New(smt.NewArena(), targetsOf(t, name), frontend.Options{})
			require.NoError(t, err)
			kills := 0
			growingQueries(t, s, 200, func(i int) {
				if i%7 != 3 {
					return
				}
				for _, pid := range childrenOf(t) {
					require.NoError(t, processtest.KillProcess(pid))
					kills++
				}
			})
			require.GreaterOrEqual(t, kills, 20)
			stats := s.Stats()[0]
			require.GreaterOrEqual(t, stats.Replaced, 20)
			require.Zero(t, stats.Failed)
		})
	}
}

// TestIncrementalStaysIncremental: one process serves all questions.
func TestIncrementalStaysIncremental(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), targetsOf(t, "z3"), frontend.Options{})
	require.NoError(t, err)
	growingQueries(t, s, 60, func(int) {})
	require.Zero(t, s.Stats()[0].Replaced)
}

// TestFaultsBelow: whatever the solver below does, also where it does not know, there is an answer, and with a second
// solver the right one.
func TestFaultsBelow(t *testing.T) {
	faults := []string{"unknown", "two-answers", "garbage", "half", "silent", "success", "segv", "abort", "abort-after", "fatal", "exit0", "exit3", "kill",
		"grandchild", "unsupported", "parse-error", "refusal", "die-at-start", "segv-at-start", "slow-start"}
	for _, fault := range faults {
		t.Run(fault, func(t *testing.T) {
			targets := []solvers.Target{fakeTarget(t, "bad", "--fault="+fault), fakeTarget(t, "good")}
			text := "(declare-const p Bool)(assert p)(check-sat)(push 1)(assert (not p))(set-info :status sat)(check-sat)(pop 1)(echo \"end\")"
			got := talk(t, frontend.Options{}, targets, text)
			require.Equal(t, "sat\nsat\n\"end\"\n", got)
			alone := talk(t, frontend.Options{}, targets[:1], text+"(check-sat)(get-info :reason-unknown)")
			require.Regexp(t, `^(sat|unknown)\n(sat|unknown)\n"end"\n(sat|unknown)\n\(`, alone)
		})
	}
	require.Empty(t, childrenOf(t))
}

// TestCrashOfOneQuestion: a solver that dies of the second question goes on with the third.
func TestCrashOfOneQuestion(t *testing.T) {
	got := talk(t, frontend.Options{}, []solvers.Target{fakeTarget(t, "fake")},
		"(check-sat)(push 1)(set-info :fault segv)(assert true)(check-sat)(pop 1)(check-sat)")
	require.Equal(t, "sat\nsat\nsat\n", got)
}

// TestHangs: a solver that does not come back is ended, and the next question is answered.
func TestHangs(t *testing.T) {
	for _, fault := range []string{"hang", "deaf", "spin", "marker-wrong"} {
		got := talk(t, frontend.Options{}, []solvers.Target{fakeTarget(t, "fake", "--fault="+fault+"@2")},
			"(check-sat)(push 1)(assert true)(set-option :timeout 100)(check-sat)(get-info :reason-unknown)(set-option :timeout 60000)(pop 1)(check-sat)")
		require.Equal(t, "sat\nunknown\n(:reason-unknown \"timeout\")\nsat\n", got, fault)
	}
	require.Empty(t, childrenOf(t))
}

// TestNobodyKnows: where no solver knows, the first one stands behind that, with its candidate of a model.
func TestNobodyKnows(t *testing.T) {
	targets := []solvers.Target{fakeTarget(t, "first", "--fault=unknown"), fakeTarget(t, "second", "--fault=exit3")}
	s, err := frontend.New(smt.NewArena(), targets, frontend.Options{})
	require.NoError(t, err)
	r, err := s.Check(context.Background())
	require.NoError(t, err)
	require.Equal(t, "unknown first", r.Answer.String()+" "+r.By)
	require.Contains(t, r.Reason, "; second: ")
	require.NoError(t, s.Close())
}

// TestTimeOfEachCommand: whatever a solver below hangs at, there is a reply in time, and the next question is answered.
func TestTimeOfEachCommand(t *testing.T) {
	// The time is short only around the command that hangs: on a busy machine, a process may take longer than that to
	// start.
	const short, long = "(set-option :timeout 200)", "(set-option :timeout 60000)"
	const answered = "(declare-const p Bool)(assert p)(check-sat)"
	const hard = "(declare-fun g (Int) Int)(assert (forall ((a Int)) (> (g (* a a)) (g (g a)))))"
	for _, c := range []struct{ hangs, text, want string }{
		{"get-value", answered + short + "(get-value (p))" + long + "(check-sat)", `sat E sat`},
		{"get-model", answered + short + "(get-model)" + long + "(check-sat)", `sat E sat`},
		{"simplify", answered + short + "(simplify (p))" + long + "(check-sat)", `sat E sat`},
		{"no-such-command", answered + short + "(no-such-command (p))" + long + "(check-sat)", `sat E sat`},
		{"set-logic", short + "(set-logic QF_UF)" + answered + long + "(check-sat)", `unknown sat`},
		{"set-option", short + "(set-option :produce-unsat-cores true)" + answered + long + "(check-sat)", `unknown sat`},
		{"set-option", short + "(set-option :smt.random_seed 7)" + long + answered, `E sat`},
		{"reset", answered + "(reset)" + short + answered + long + "(check-sat)", `sat unknown sat`},
		{"get-info", "(set-option :rlimit 1000)(push 1)" + hard + short + "(check-sat)" + long + "(pop 1)" + answered, `unknown sat`},
		{"get-unsat-core", "(push 1)" + answered + "(assert (not p))" + short + "(check-sat)" + long + "(pop 1)" + answered, `sat unsat sat`},
	} {
		options := frontend.Options{Timeout: time.Minute}
		if c.hangs == "get-unsat-core" {
			options.Mode = frontend.Cached // which asks for cores by itself
		}
		begun := time.Now()
		got := talk(t, options, []solvers.Target{dyingZ3(t, c.hangs, 1, "hung:hang")}, c.text)
		want := strings.ReplaceAll(strings.ReplaceAll(c.want, " ", "\n"), "E", `\(error .*`)
		require.Regexp(t, "^"+want+"\n$", got, c.hangs)
		require.Greater(t, time.Since(begun), 500*time.Millisecond, "it did not hang: %s", c.hangs)
		require.Less(t, time.Since(begun), time.Minute, c.hangs)
	}
	require.Empty(t, childrenOf(t))
}

// TestUnknownWithoutReason: a solver that has no get-info is not asked why it does not know.
func TestUnknownWithoutReason(t *testing.T) {
	text := "(declare-fun g (Int) Int)(assert (forall ((a Int)) (> (g (* a a)) (g (g a)))))(set-option :rlimit 1000)(check-sat)(get-info :reason-unknown)"
	for _, lacks := range [][]rule.VersionedLack{nil, {{Lack: rule.Action.Of("get-info")}}} {
		var events []frontend.EventKind
		o := frontend.Options{Notify: func(e frontend.Event) { events = append(events, e.Kind) }}
		target := dyingZ3(t, "get-info", 1, "died")
		target.Solver().Profile.APIExclude = lacks
		got := talk(t, o, []solvers.Target{target}, text)
		require.Regexp(t, "^unknown\n\\(:reason-unknown ", got)
		if lacks != nil {
			require.Empty(t, events)
		} else {
			require.Equal(t, []frontend.EventKind{frontend.Replaced}, events)
		}
	}
}

// TestLikeZ3: a client of z3 gets the texts of its terms byte for byte, a value a line, and options outlive a reset.
func TestLikeZ3(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), targetsOf(t, "z3"), frontend.Options{KeepOptions: true, Timeout: time.Minute})
	require.NoError(t, err)
	text := "(set-option :global-declarations true)(declare-const x Int)(assert (= x 3))(check-sat)(get-value (x  (+  x\n1)))(echo \"a\")(set-option :produce-unsat-cores true)(set-option :timeout 100000)" +
		"(reset)(push 1)(declare-const x Bool)(pop 1)(assert x)(check-sat)(reset)" +
		"(set-logic QF_LIA)(get-option :produce-unsat-cores)(assert (! false :named a))(check-sat)(get-unsat-core)"
	var out bytes.Buffer
	d := dialogue.New(s, strings.NewReader(text), &out)
	d.LikeZ3 = true
	require.NoError(t, d.Run(context.Background()))
	require.Equal(t, "sat\n((x 3)\n ((+  x\n1) 4))\na\nsat\ntrue\nunsat\n(a)\n", out.String())
	require.Equal(t, time.Minute, s.Timeout(), "a client may take less time than it has")
	require.NoError(t, s.Close())
}

// TestSecondConstant: whether a name may have constants of two sorts is up to the solver below, which is asked at once.
func TestSecondConstant(t *testing.T) {
	text := "(assert (! true :named a))(declare-const a Int)(check-sat)(push 1)(define-fun b () Int 1)(assert (! false :named b))(check-sat)"
	require.Regexp(t, `^\(error "line 1 column 27: declare-const: .*\nsat\n\(error "line 1 column 90: assert: .*\nsat\n$`, talk(t, frontend.Options{}, targetsOf(t, "z3"), text))
	require.Equal(t, "sat\n", talk(t, frontend.Options{}, targetsOf(t, "cvc5"), text[:58]))
}

// TestClientSetsTime: (set-option :timeout ...) bounds a question, whatever the solver below calls it.
func TestClientSetsTime(t *testing.T) {
	hard := "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))(assert (= (bvmul a b) #xfffffffffffffc5d))(assert (bvugt a #x0000000000000001))(assert (bvugt b #x0000000000000001))(assert (bvult a #x0000000100000000))(assert (bvult b #x0000000100000000))"
	for _, name := range []string{"z3", "cvc5"} {
		begun := time.Now()
		got := talk(t, frontend.Options{}, targetsOf(t, name), "(set-option :timeout 300)"+hard+"(check-sat)(reset)(declare-const p Bool)(assert p)(check-sat)")
		require.Regexp(t, "^(unknown|sat|unsat)\nsat\n$", got)
		require.Less(t, time.Since(begun), time.Minute)
	}
}

// TestDepth: terms of 100,000 levels are read, and the solver below says what it can.
func TestDepth(t *testing.T) {
	const n = 100000
	got := talk(t, frontend.Options{Timeout: 20 * time.Second}, targetsOf(t, "z3"),
		"(declare-const p Bool)(push 1)(assert "+strings.Repeat("(not ", n)+"p"+strings.Repeat(")", n)+")(check-sat)(pop 1)(assert p)(check-sat)"+
			strings.Repeat("(", n)+"\n")
	require.Regexp(t, "^(sat|unknown)\nsat\n\\(error .*this \\( has no \\)", got)
}

// TestClientGoes: when the client is gone, so are the solvers.
func TestClientGoes(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), targetsOf(t, "z3", "cvc5"), frontend.Options{Portfolio: true})
	require.NoError(t, err)
	in, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- dialogue.New(s, in, io.Discard).Run(context.Background()) }()
	_, err = io.WriteString(w, "(declare-const p Bool)(assert p)(check-sat)(assert (and p")
	require.NoError(t, err)
	w.Close()
	require.NoError(t, <-done)
	require.NoError(t, s.Close())
	require.Empty(t, childrenOf(t))
}

// TestInterrupt ends a question at once, and the solver below with it.
func TestInterrupt(t *testing.T) {
	s, err := frontend.New(smt.NewArena(), []solvers.Target{fakeTarget(t, "fake", "--fault=hang")}, frontend.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	r, err := s.Check(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "unknown canceled", r.Answer.String()+" "+r.Reason)
	require.NoError(t, s.Close())
	require.Empty(t, childrenOf(t))
}
