package campaign

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/finding"
	"github.com/smtlark/smtlark/engine/oracle"
	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/engine/testcase"
	"github.com/smtlark/smtlark/engine/triage"
	"github.com/smtlark/smtlark/solvers"
)

func drawRuns(t *rapid.T) []*solvers.Run {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *solvers.Run {
		return &solvers.Run{
			Class:   rapid.SampledFrom(solvers.Classes()).Draw(t, "class"),
			Answers: rapid.SliceOfN(rapid.SampledFrom([]smtlib.Answer{smtlib.None, smtlib.Sat, smtlib.Unsat, smtlib.Unknown}), 0, 4).Draw(t, "answers"),
			CPU:     time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "cpu")) * time.Microsecond,
			Wall:    time.Duration(rapid.Int64Range(0, 1e6).Draw(t, "wall")) * time.Microsecond,
		}
	}), 0, 4).Draw(t, "runs")
}

// The hand-written form of a result is read back like any other report, and says the same as the runs.
func TestResultsOnTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		var out bytes.Buffer
		w := &lineWriter{w: &out}
		sent := &report{Type: reportResult, N: rapid.Uint64().Draw(t, "n"), Make: rapid.Int64Range(0, 1e9).Draw(t, "make"), Hash: rapid.StringMatching(`[0-9a-f]{0,16}`).Draw(t, "hash")}
		require.NoError(t, w.result(sent, runs))
		require.Zero(t, out.Len(), "results wait for the next announcement")
		require.NoError(t, w.announce(7))
		lines := strings.Split(out.String(), "\n")
		require.Len(t, lines, 3)
		got, err := parseReport([]byte(lines[0]))
		require.NoError(t, err)
		codes, err := metrics.ParseRunCodes(got.Runs, len(runs))
		require.NoError(t, err)
		for i, r := range runs {
			require.Equal(t, r.Class, codes[i].Class)
			require.Equal(t, r.CPU, codes[i].Cpu)
			require.Equal(t, r.Wall, codes[i].Wall)
			require.Len(t, codes[i].Answers, len(r.Answers))
			for j, a := range r.Answers {
				require.Equal(t, a, metrics.LetterAnswer(codes[i].Answers[j]))
			}
		}
		got.Runs = ""
		require.Equal(t, sent, got)
		next, err := parseReport([]byte(lines[1]))
		require.NoError(t, err)
		require.Equal(t, &report{Type: reportCase, N: 7}, next)
	})
}

// Whatever a worker writes: reading it gives reports or an error, and nothing else happens.
func FuzzParseReport(f *testing.F) {
	for _, s := range []string{`{"type":"case","n":3}`, `{"type":"case","n":}`, `{"type":"result","n":1,"runs":"1:s:1:1"}`, `{"type":"done","job":-1}`, `[]`, `null`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := parseReport(line)
		if err == nil && r == nil {
			t.Fatal("no report and no error")
		}
		if err == nil {
			_, _ = metrics.ParseRunCodes(r.Runs, 2)
		}
	})
}

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	r := bufio.NewReaderSize(strings.NewReader("a\n\n"+long+"\nrest"), 64)
	var buf []byte
	for _, want := range []string{"a", "", long} {
		line, err := readLine(r, &buf)
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	_, err := readLine(r, &buf)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a line that was cut off is no line")
	_, err = readLine(r, &buf)
	require.ErrorIs(t, err, io.EOF)
}

// However cases are handed out and given back: each is done once, and in the end all of them.
func TestJobQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.Uint64Range(1, 200).Draw(t, "end")
		q := jobQueue{end: end}
		var out []span // handed out
		done := map[uint64]int{}
		for steps := 0; len(out) > 0 || !q.done() || !q.empty(); steps++ {
			if rapid.Bool().Draw(t, "take") || len(out) == 0 {
				s, ok := q.takeUpTo(rapid.Uint64Range(0, 30).Draw(t, "size"), 0, true)
				require.Equal(t, ok, s.from < s.to)
				if ok {
					out = append(out, s)
					continue
				}
				if len(out) == 0 {
					continue
				}
			}
			i := rapid.IntRange(0, len(out)-1).Draw(t, "which")
			s := out[i]
			out = slices.Delete(out, i, i+1)
			stop := s.to
			if steps < 100 { // a worker dies in the middle
				stop = rapid.Uint64Range(s.from, s.to).Draw(t, "stop")
			}
			for n := s.from; n < stop; n++ {
				done[n]++
			}
			q.giveBack(span{stop, s.to, 0})
		}
		require.Len(t, done, int(end))
		for n, times := range done {
			require.Equal(t, 1, times, n)
		}
	})
}

func TestStopConditionsCombine(t *testing.T) {
	a, b := finding.Stop{After: time.Hour, Cases: 5}, finding.Stop{After: time.Minute, Findings: 2}
	require.Equal(t, finding.Stop{After: time.Minute, Cases: 5, Findings: 2}, a.Any(b))
	require.Equal(t, a.Any(b), b.Any(a))
	require.Equal(t, finding.Stop{After: time.Hour, Cases: 5, Findings: 2}, a.Or(b), "a flag wins")
}

func TestWhatShowsAReproduction(t *testing.T) {
	run := func(class solvers.Class, message string, answers ...smtlib.Answer) *solvers.Run {
		return &solvers.Run{Class: class, Message: message, Answers: answers}
	}
	wrong := &Reproduction{Got: smtlib.Unsat, Want: smtlib.Sat, Check: 1}
	require.True(t, wrong.shows(run(solvers.Timeout, "", smtlib.Sat, smtlib.Unsat)))
	require.False(t, wrong.shows(run(solvers.OK, "", smtlib.Unsat, smtlib.Sat)))
	require.False(t, wrong.shows(run(solvers.OK, "", smtlib.Unsat)))
	any := &Reproduction{Want: smtlib.Sat}
	require.True(t, any.shows(run(solvers.OK, "", smtlib.Unsat)))
	require.False(t, any.shows(run(solvers.OK, "", smtlib.Unknown)))
	crash := &Reproduction{Class: solvers.Crash, Message: "In Foo"}
	require.True(t, crash.shows(run(solvers.Crash, "SIGSEGV in foo()")))
	require.False(t, crash.shows(run(solvers.Crash, "SIGSEGV in bar()")))
	require.False(t, crash.shows(run(solvers.Assertion, "in foo")))
}

// While a finding of an earlier run waits to be reduced, workers go on sending the cases of its bucket: any may have
// another cause, and nothing tells yet.
func TestBucketOfUnreducedFinding(t *testing.T) {
	f := &finding.Finding{SignedVerdict: finding.SignedVerdict{Signature: triage.Signature{Key: "k", Vague: true}}}
	g := &group{f: f, state: groupKnown, awaited: true}
	c := &coordinator{plan: &finding.Plan{Reduces: true}, cfg: Config{Store: noStore{}}, groups: map[string]*group{}, buckets: map[string]*bucket{}}
	c.addGroup(g)
	o := c.knownOrder([]string{"k"})
	require.Contains(t, o.Skeletons, "k")
	c.unawait(g)
	o = c.knownOrder([]string{"k"})
	require.NotContains(t, o.Skeletons, "k", "it will not be reduced: nothing will tell them apart")
}

type noStore struct{ finding.Store }

// What takes over two seconds more than the time that was given is said with its cause.
func TestLateIsExplained(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	late := func(loaded, after, took time.Duration, awaits string) string {
		c := &coordinator{stop: finding.Stop{After: after}, begun: begin.Add(loaded), now: begin.Add(took), awaits: awaits}
		c.stats.Started = begin
		return c.lateText()
	}
	require.Empty(t, late(time.Second, 0, time.Hour, ""), "no time was given")
	require.Empty(t, late(time.Second, time.Minute, 10*time.Second, ""), "it ended early")
	require.Empty(t, late(500*time.Millisecond, time.Minute, 61900*time.Millisecond, "case 7"))
	require.Equal(t, "6.5 s more than the 30s that it was given: it loaded for 6.0 s, which do not count", late(6*time.Second, 30*time.Second, 36500*time.Millisecond, "case 7"))
	require.Equal(t, "4.0 s more than the 30s that it was given: 3.5 s went to what had to end first: reducing finding 3", late(500*time.Millisecond, 30*time.Second, 34*time.Second, "reducing finding 3"))
	require.Contains(t, late(2*time.Second, 30*time.Second, 34*time.Second, ""), "it loaded for 2.0 s, which do not count; 2.0 s went to")
}

// The check-sat of a verdict in the reduced case is that which the oracle spoke of there.
func TestCheckOfTheReducedCase(t *testing.T) {
	g := &group{f: &finding.Finding{SignedVerdict: finding.SignedVerdict{Verdict: oracle.Verdict{Check: 4}}, Case: &testcase.Wire{}}}
	require.Equal(t, 4, g.f.SmallestCheck())
	small := &testcase.Wire{Script: "(check-sat)\n(check-sat-assuming (true))\n(check-sat)\n"}
	g.improve(&report{Case: small})
	require.Equal(t, 2, g.f.SmallestCheck(), "the last one there is, where nobody says it")
	g.improve(&report{Case: small, Verdicts: []finding.SignedVerdict{{Verdict: oracle.Verdict{Check: 1}}}})
	require.Equal(t, 1, g.f.SmallestCheck())
	require.Equal(t, 1, g.f.SmallestVerdict().Check)
	require.Equal(t, 4, g.f.Verdict.Check)
	g.f.Verdict.Check = -1
	require.Equal(t, -1, g.f.SmallestCheck(), "it is about none")
}
