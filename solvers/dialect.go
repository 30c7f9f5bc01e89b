package solvers

// Dialect says which commands the solver has, and what state of earlier cases survives in a process that gets one case
// after another.
type Dialect struct {
	Echo                string `star:"echo" doc:"how (echo \"m\") prints: plain (m), quoted (\"m\"), or any"`
	CheckSatUsing       bool   `star:"check_sat_using" doc:"it has (check-sat-using TACTIC); other solvers get (check-sat) instead"`
	MultilineTokens     bool   `star:"multiline_tokens" doc:"reads quoted symbols and strings that span lines from a pipe; else such cases run from a file"`
	ChecksStatus        bool   `star:"checks_status" doc:"it compares its answer with (set-info :status ...) and fails if they differ; that command is then left out"`
	ContinuesAfterError bool   `star:"continues_after_error" doc:"after an error it continues with the next command"`

	Statistics bool `star:"statistics" doc:"it answers (get-info :all-statistics) with counters"`

	HasReset          bool     `star:"has_reset" doc:"it has (reset); else mode reset starts a new process for each case"`
	ResetKeepsOptions bool     `star:"reset_keeps_options" doc:"options set by a case outlive (reset), so a case with other options needs a new process"`
	OutlivesReset     []string `star:"outlives_reset" doc:"texts of commands whose effect outlives (reset), such as \":named\": after a case that contains one, the process is replaced; with \" before VERSION\" or \" since VERSION\" at the end only for such versions"`
	OutlivesPop       []string `star:"outlives_pop" doc:"texts of commands whose effect outlives (pop 1), such as \"(define-sort\": as outlives_reset, for mode incremental"`
}

func (d *Dialect) check() error { return checkWord("echo", d.Echo, "plain quoted any") }
