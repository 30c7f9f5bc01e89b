package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/coordinator"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func stats() *metrics.Stats {
	return &metrics.Stats{
		Progress:  metrics.Progress{Campaign: "quick\x1b[2Jstart", Technique: "storm", File: "scripts/quickstart.star", Seed: "0x51f2", Elapsed: 3725.4, State: metrics.StateRunning, StopReason: "time is over"},
		CaseStats: metrics.CaseStats{Cases: 1234567, Rate: 331.42, Skipped: 12, SkippedBy: map[string]uint64{"no ite": 9, "b": 2, "a": 1}, Killed: 1, KilledList: []metrics.KilledCase{{Number: 17, Reason: "SIGKILL"}}, Errors: 2, Internal: 1},
		SeedStats: metrics.SeedStats{Seeds: 988, BrokenSeeds: 12, Broken: []finding.BrokenSeed{{File: "a.smt2", Error: "a.smt2:3:7: unknown sort Foo\n  line\n  ^"}, {File: "b.smt2", Error: "cannot be read"}}},
		Targets: []metrics.TargetStats{
			{Name: "z3-4.8.12/reset", Runs: 1000, Sat: 510, Unsat: 400, Unknown: 60, NoAnswer: 30, Classes: map[string]uint64{"ok": 970, "timeout": 20, "crash": 4, "assertion": 3, "parse-error": 2, "garbage": 1}, CPU: 1.5, Wall: 2},
			{Name: "cvc5-1.0.3/incremental", Runs: 0, Classes: map[string]uint64{}},
		},
		Findings: metrics.FindingStats{
			New: 2, Known: 1, Flaky: 1, Duplicates: 113, Pending: 1, Reducing: 2, Last: 3700,
			List: []metrics.FindingLine{
				{Number: 1, Dir: "findings/0001-z3", Summary: "z3-4.8.12 (reset) answers unsat, the answer is sat", Hits: 3, Tries: 3, Count: 40, From: 12000, To: 120},
				{Number: 4, Dir: "findings/0004-z3", Summary: "old", Known: true, Count: 1},
				{Number: 1, Dir: "findings/flaky/0001-z3", Summary: "strange\x07", Flaky: true, Tries: 3, Count: 1},
			},
		},
		Workers: metrics.WorkerStats{Doing: []string{"case 1234, models of 40 seeds, now QF_LIA/a.smt2 (12 s)", "reducing finding 3, 41 tests (20 s)"}, Wanted: 2, Alive: 2, Restarts: 2, Deaths: []string{"SIGKILL", "exit 2: panic: oh"}},
		CPU: metrics.CPUStats{Workers: 60, Coordinator: 2, Solvers: 600, Lost: 1, Total: 1000, EngineShare: 0.062, Purposes: []metrics.PurposeStats{
			{Name: "cases", Engine: 50, Solvers: 600, Times: 2000}, {Name: "models", Engine: 5, Solvers: 250, Times: 40}, {Name: "reduction", Engine: 5, Solvers: 85, Times: 2}, {Name: "loading", Solvers: 2},
		}},
		Health: []string{"z3 rejects 12 % of the cases as ill-formed"},
	}
}

// golden compares with a file of testdata; UPDATE=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "UPDATE=1 go test rewrites it")
}

func TestStatus(t *testing.T) {
	golden(t, "status.txt", strings.Join(statusLines(stats(), 0, 0), "\n")+"\n")
	golden(t, "heartbeat.txt", heartbeat(stats())+"\n")
}

func TestSummary(t *testing.T) {
	var b bytes.Buffer
	Summary(&b, stats(), Where{Findings: "findings", Run: "runs/quickstart/x", Again: "smtlark run scripts/quickstart.star --seed 0x51f2 --cases 1234580"})
	golden(t, "summary.txt", b.String())
}

func TestSummaryFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		var b bytes.Buffer
		Summary(&b, stats(), Where{Width: width})
		_, table, found := strings.Cut(b.String(), "  target ")
		require.True(t, found)
		for _, row := range strings.Split(table, "\n")[1 : 1+len(stats().Targets)] {
			require.LessOrEqual(t, display.Columns(row), width, row)
		}
	}
	st := stats()
	for i := range st.Targets {
		st.Targets[i] = metrics.TargetStats{Name: st.Targets[i].Name}
	}
	var b bytes.Buffer
	Summary(&b, st, Where{})
	require.NotContains(t, b.String(), "  target ", "no table of zeros where nothing ran")
}

func TestNothingFromSolversReachesTheTerminalRaw(t *testing.T) {
	var b bytes.Buffer
	Summary(&b, stats(), Where{})
	for _, l := range append(statusLines(stats(), 0, 0), b.String(), heartbeat(stats())) {
		require.NotContains(t, l, "\x1b")
		require.NotContains(t, l, "\x07")
	}
}

// screen is a terminal of 40 columns and 6 lines, without its timer.
func screen(out, status *bytes.Buffer) *Screen {
	return &Screen{out: out, errs: status, status: status, size: func() (int, int, bool) { return 40, 6, true }, latest: stats()}
}

func TestStatusIsClippedAndRedrawnInPlace(t *testing.T) {
	var out, status bytes.Buffer
	s := screen(&out, &status)
	s.draw()
	first := status.String()
	require.True(t, strings.HasSuffix(first, "\x1b[K\n\x1b[J"), "what was below goes")
	lines := strings.Split(strings.TrimSuffix(first, "\n\x1b[J"), "\n")
	require.Len(t, lines, 5, "one line stays free, so that nothing scrolls")
	for _, l := range lines {
		require.Less(t, utf8.RuneCountInString(strings.TrimSuffix(l, "\x1b[K")), 40)
	}
	status.Reset()
	s.draw()
	require.Equal(t, "\r\x1b[5A"+first, status.String(), "over the one before, in one write, nothing erased first")
	status.Reset()
	s.Println(coordinator.LineFinding, "found\x1b[1A")
	require.Equal(t, "found\\u{1b}[1A\n", out.String())
	require.Equal(t, "\r"+strings.Repeat("\x1b[A\x1b[2K", 5)+first, status.String(), "the old status goes, and comes again below the line")
	s.size = func() (int, int, bool) { return 20, 30, true }
	rows := 0
	for _, w := range s.drawn {
		rows += (w + 19) / 20
	}
	require.Greater(t, rows, 5)
	require.Equal(t, rows, s.rows(), "a terminal that became narrower has broken the lines")
}

func TestStatusFitsEverywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := stats()
		st.Targets = slices.Repeat(st.Targets, rapid.IntRange(0, 6).Draw(t, "targets"))
		st.Health = slices.Repeat([]string{strings.Repeat("warning ", 20)}, rapid.IntRange(0, 5).Draw(t, "warnings"))
		for i := range rapid.IntRange(0, 8).Draw(t, "techniques") {
			st.Techniques = append(st.Techniques, metrics.TechniqueStats{Name: fmt.Sprint("融合-", i), Cases: 123456, Findings: uint64(i)})
		}
		st.Campaign = rapid.StringOfN(rapid.RuneFrom([]rune("aé漢🦊\u0301")), 0, 60, -1).Draw(t, "name")
		w, h := rapid.IntRange(1, 250).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height")
		lines := statusLines(st, w, h)
		require.LessOrEqual(t, len(lines), h)
		for _, l := range lines {
			require.LessOrEqual(t, display.Columns(l), w)
			require.NotContains(t, l, "\n")
		}
		if w >= 20 && h >= 2 {
			require.Contains(t, lines[1], "cases 1,234,567")
		}
		if len(st.Health) > 0 && h >= 4 && w >= 20 {
			require.Contains(t, lines[len(lines)-1], "!", "a warning has always a place")
		}
		if n := len(st.Targets); n > 0 && h >= 3+1+n+1+max(5, 3*len(st.Health))+2+len(st.Techniques) && w >= 30 {
			require.NotContains(t, strings.Join(lines, "\n"), "more target")
		}
	})
}

func TestColumnsGoByWorth(t *testing.T) {
	st := stats()
	head := func(width int) string {
		return strings.Join(strings.Fields(targetLines(st.Targets, width, -1)[0]), " ")
	}
	require.Equal(t, "target runs sat unsat unknown decided timeout memory crash declined rejected other ms/run", head(200))
	require.Equal(t, "target decided", head(34))
	require.NotContains(t, head(79), "memory")
	require.Contains(t, head(79), "timeout")
}

func TestWithoutTerminal(t *testing.T) {
	var out, status bytes.Buffer
	s := NewScreen(&out, &status, &status)
	s.Update(stats())
	s.Println(coordinator.LineFinding, "found")
	s.Println(coordinator.LineWarning, "beware")
	s.Close()
	require.Equal(t, "found\n", out.String())
	require.Equal(t, "beware\n", status.String(), "no colours, no cursor movements")
	require.Equal(t, 10*time.Second, s.every)
}

func TestPercent(t *testing.T) {
	for _, tc := range []struct {
		n, of uint64
		want  string
	}{{0, 0, "-"}, {0, 9, "0"}, {1, 100000, "<0.1%"}, {1, 200, "0.5%"}, {1, 2, "50%"}, {9, 9, "100%"}} {
		require.Equal(t, tc.want, percent(tc.n, tc.of))
	}
	require.Equal(t, "1,234,567", number(1234567))
	require.Equal(t, "123", number(123))
	require.Equal(t, "1:02:05", duration(3725.4))
}

func TestAlign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a-zäß]{0,9}`), 3, 3), 1, 5).Draw(t, "rows")
		lines := align(rows)
		for _, l := range lines {
			require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(l))
		}
	})
}

// Rows of zeros are folded where they are many.
func TestIdleRowsAreFolded(t *testing.T) {
	st := &metrics.Stats{}
	for i := range 20 {
		st.Steps = append(st.Steps, metrics.TechniqueStats{Name: fmt.Sprintf("m%d", i), Cases: 10})
		st.Targets = append(st.Targets, metrics.TargetStats{Name: fmt.Sprintf("t%d", i)})
	}
	require.Len(t, targetRows(st.Targets), 21, "nothing was asked")
	st.Steps[3].Verdicts = 2
	st.Targets[5].Runs = 7
	rows := yieldRows(st)
	require.Len(t, rows, 3)
	require.Equal(t, "· m3", rows[1][0])
	require.Equal(t, "· 19 mutators without a verdict", rows[2][0])
	require.Equal(t, "190", rows[2][1])
	rows = targetRows(st.Targets)
	require.Len(t, rows, 3)
	require.Equal(t, "t5", rows[1][0])
	require.Equal(t, "19 targets without a run", rows[2][0])
	st.Steps = st.Steps[:8]
	require.Len(t, yieldRows(st), 9, "few rows are no burden")
}

// The status says of cases only those that take long.
func TestNotableActivities(t *testing.T) {
	long := []string{"case 7 (3 s)", "case 8: f (a.star:4:11) has computed for 6 s", "reducing finding 3"}
	require.Equal(t, long, notable(append([]string{"case 6"}, long...)))
}

// While the campaign loads, the status names the current activity and shows no tables of zeros.
func TestStatusWhileLoading(t *testing.T) {
	st := &metrics.Stats{Progress: metrics.Progress{State: metrics.StateLoading, Seed: "0x7", Elapsed: 3}}
	st.Workers.Doing = []string{"learning what cvc5 1.3.2 supports (1 of 2 builds, question 83)"}
	lines := []string{"smtlark  0:00:03  seed 0x7  [loading]", "  learning what cvc5 1.3.2 supports (1 of 2 builds, question 83)"}
	require.Equal(t, lines, statusLines(st, 75, 24))
	lines[1] = "  learning what cvc5 1.3.2 supports (1 of 2…"
	require.Equal(t, lines, statusLines(st, 44, 24))
	require.Len(t, statusLines(st, 75, 1), 1)
}

func TestEdges(t *testing.T) {
	st := &metrics.Stats{
		Edges: []metrics.EdgeStats{{Name: "z3-4.13.3", Edges: 1200, Pairs: 5000, Of: 480_000, Last: 61}, {Name: "libz3 | x", Of: 500_000}},
		Grown: metrics.GrownStats{Seeds: 7},
	}
	for i := range maxTakers + 2 {
		st.Techniques = append(st.Techniques, metrics.TechniqueStats{Name: fmt.Sprint("t", i), Edges: uint64(10 * i)})
	}
	require.Equal(t, "edges 1,200 + 0, grown seeds 7", edgesText(st))
	require.Equal(t, []string{
		"coverage of z3-4.13.3: 1,200 of 480,000 edges (0.2 %), the last new one after 1m1s",
		"coverage of libz3 | x: 0 of 500,000 edges (0.0 %)",
		"  first taken by t7 70, t6 60, t5 50, t4 40, t3 30, t2 20, 1 more",
		"  7 cases that took new edges are seeds now",
	}, edgeLines(st))
	require.Contains(t, heartbeat(st), " edges:z3-4.13.3=1200 edges:libz3_|_x=0")
	require.Contains(t, strings.Join(statusLines(st, 0, 0), "\n"), "edges 1,200 + 0, grown seeds 7")
	require.Len(t, edgeRows(st), 3)
	require.Nil(t, fileRows(st), "line tables do not tell")
	for i := range maxFiles + 2 {
		st.Edges[1].Files = append(st.Edges[1].Files, metrics.FileStats{Name: fmt.Sprintf("src/f%d.c", i), Edges: i, Of: 100})
	}
	files := fileRows(st)
	require.Equal(t, []string{"libz3 | x", "src/f7.c", "7", "100", "7.0%"}, files[8])
	require.Equal(t, "2 more in stats.json", files[len(files)-1][1])
	require.Equal(t, "first edges", yieldRows(st)[0][7])

	r := &reportRun{Stats: st}
	require.Empty(t, plotEdges(r), "there are no points")
	for i := range 3 {
		r.Points = append(r.Points, metrics.Stats{Progress: metrics.Progress{Elapsed: float64(10 * i)}, Edges: []metrics.EdgeStats{{Name: "z3-4.13.3", Edges: 400 * (i + 1)}}, Techniques: st.Techniques})
	}
	plots := plotEdges(r)
	require.Len(t, plots, 2)
	require.Equal(t, "z3-4.13.3 1,200 of 480,000; libz3 | x 0 of 500,000", plots[0].Sub)
	require.Contains(t, plots[0].Data.Rows[1], "800")
	require.Equal(t, "the 6 techniques with most", plots[1].Sub)
	require.Equal(t, "line6", plots[1].Lines.Curves[5].Class)
	require.Empty(t, plotEdges(&reportRun{Stats: &metrics.Stats{}}))
}
