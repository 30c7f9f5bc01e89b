package solvers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/solvers/confine"
)

func TestFileOptionsAreHeldBack(t *testing.T) {
	p := &Profile{OptionSyntax: OptionSyntax{FileOptions: []string{"output"}}}
	held := []string{
		`(set-option :out "p")`, `(set-option :err "p")`, `(set-option :in "p")`, `(set-option :regular-output-channel "p")`,
		`(set-option :diagnostic-output-channel "p")`, `(set-option :trace true)`, `(set-option :trace_file_name "p")`,
		`(set-option :Trace-File-Name "p")`, "( set-option ; a comment\n :out \"p\")", "(set-option\t:OUT\"p\")",
		`(set-option :smtlib2_log p)`, `(set-option :solver.smtlib2_log p)`, `(set-option :sat.drat.file p)`, `(set-option :solver.proof.log p)`,
		`(set-option :dot_proof_file p)`, `(set-option :sat.inprocess.out p)`, `(set-option :solver.axioms2files true)`,
		`(set-option :solver.cancel_backup_file p)`, `(set-option :opt.dump_benchmarks true)`, `(set-option :fp.spacer.trace_file p)`,
		`(set-option :dump-to p)`, `(set-option :write-aiger p)`, `(set-option :write-cnf p)`, `(set-option :write-partitions-to p)`, `(set-option :partitions-out p)`,
		`(set-option :sygus-query-gen-dump-files all)`, `(set-option :known_sat_assignment_file_name p)`, `(set-option :output x)`,
		`(|set-option| :out "p")`, "(; a comment\n|set-option| :out \"p\")", "; a comment\n(set-option :out \"p\")",
		`(apply (using-params sat :drat.file p))`, `(check-sat-using (then simplify (using-params sat :DRAT_FILE p)))`, `(|apply| (! sat :drat.file p))`,
		`(declare-tactic t (using-params sat :drat.file p))`, `(simplify x :smtlib2_log p)`,
	}
	for _, text := range held {
		require.True(t, p.HoldsBackCommand(text), text)
	}
	free := []string{
		`(set-option :produce-models true)`, `(set-option :smt.logic QF_BV)`, `(set-option :timeout 5)`, `(set-option :dump-models true)`,
		`(set-option :log-level 1)`, `(set-option :smt.qi.profile true)`, `(set-info :out "p")`, `(assert (= out trace))`, `(echo "(set-option :out p)")`,
		`(set-option :proof-dot-dag true)`, `(set-option`, `(`, ``, `(set-option :)`, `(` + "|set-option",
		`(assert (! p :named q :out r))`, `(apply (using-params sat :seed 3))`, `(apply (echo ":out"))`, "(apply |:out| ; :out\n)", `(get-value (x) :out)`,
	}
	for _, text := range free {
		require.False(t, p.HoldsBackCommand(text), text)
	}
	for arg, want := range map[string]string{
		"--out=p": "out", "--err": "err", "--ou=p": "out", "--regular-out=p": "regular-output-channel", "-log:p": "log", "trace=true": "trace",
		"trace_file_name=p": "trace-file-name", "--write-cnf": "write-cnf", "--output=p": "output",
		"/etc/passwd": "/etc/passwd", "../x": "../x", "-file:x": "file", "--lib=/x": "", "x=/y": "",
		"--strings-exp": "", "smt.random_seed=7": "", "-in": "in", "--seed": "", "-": "", "": "", "--o": "", "--tlimit": "",
	} {
		if arg == "-in" { // how z3 is told to read its standard input; no user needs to give it
			continue
		}
		require.Equal(t, want, p.HoldsBackArgument(arg), arg)
	}
	require.Equal(t, "(set-logic ALL)\n; a\n\n(check-sat)\n", p.TextWithoutFiles("(set-logic ALL)\n; a\n(set-option :out \"(\")\n(|check-sat-using| (! sat :drat.file p))\n"))
	require.Equal(t, "(check-sat)", p.TextWithoutFiles("(check-sat)\n(set-info :x |a\\| | (set-option :out p) |)"), "which is no symbol to z3")
	require.True(t, p.HoldsBackCommand("(apply |a\\| | x :out |)"))
	for _, whole := range []string{"", "(check-sat)", "(check-sat) ; (set-option :out p)\n", "(set-option :out p"} {
		require.Equal(t, whole, p.TextWithoutFiles(whole))
	}
	t.Setenv(confine.Env, string(confine.None))
	require.Empty(t, p.HoldsBackArgument("/etc/passwd"))
	require.False(t, p.HoldsBackCommand(`(set-option :trace_file_name "p")`))
	require.True(t, p.HoldsBackCommand(`(set-option :out "p")`), "its replies would be lost")
	require.Empty(t, p.HoldsBackArgument("--trace_file_name=p"))
}
