package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/results/store/folder"
)

// The part of JUnit's XML that build servers read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties *junitProps     `xml:"properties,omitempty"`
		Cases      []junitTestCase `xml:"testcase"`
	}
	junitProps struct {
		List []junitProp `xml:"property"`
	}
	junitProp struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitTestCase struct {
		Name      string        `xml:"name,attr"`
		ClassName string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		File      string        `xml:"file,attr,omitempty"`
		Skipped   *junitSkipped `xml:"skipped,omitempty"`
		Error     *junitFailure `xml:"error,omitempty"`
		Failure   *junitFailure `xml:"failure,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the findings as JUnit XML: one suite for the campaign. Each finding is a test that fails, each flaky one
// and each that does not make the build fail (Data.FailOn) a test that was skipped, each target without findings a test
// that passed, and internal errors a test with an error.
func JUnit(w io.Writer, d *Data) error {
	suite := junitSuite{Name: "smtlark", Time: "0.000"}
	if d.Run != nil {
		s := d.Run.Stats
		suite.Name, suite.Time = xmlText(s.Campaign), fmt.Sprintf("%.3f", s.Elapsed)
		if !s.Started.IsZero() {
			suite.Timestamp = s.Started.UTC().Format("2006-01-02T15:04:05")
		}
		suite.Properties = &junitProps{[]junitProp{
			{"tool", d.Tool}, {"campaign file", xmlText(s.File)}, {"seed", xmlText(s.Seed)}, {"cases", fmt.Sprint(s.Cases)}, {"state", s.State},
		}}
		suite.clean(d)
	}
	for i := range d.Findings {
		suite.add(d, &d.Findings[i])
	}
	return writeSuite(w, &suite)
}

// TestCase is a test for build servers: it has passed unless Failure or Skipped says otherwise.
type TestCase struct {
	Name, Class string
	Seconds     float64
	Failure     string // what is wrong
	Skipped     string // why nothing is known
}

// JUnitOf writes tests as JUnit XML, in one suite.
func JUnitOf(w io.Writer, name string, cases []TestCase) error {
	suite := junitSuite{Name: xmlText(name)}
	total := 0.0
	for i := range cases {
		c := &cases[i]
		total += c.Seconds
		out := junitTestCase{Name: xmlText(c.Name), ClassName: xmlText(c.Class), Time: fmt.Sprintf("%.3f", c.Seconds)}
		switch {
		case c.Failure != "":
			out.Failure = &junitFailure{Message: xmlText(c.Failure), Type: "failure"}
			suite.Failures++
		case c.Skipped != "":
			out.Skipped = &junitSkipped{Message: xmlText(c.Skipped)}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, out)
	}
	suite.Time = fmt.Sprintf("%.3f", total)
	return writeSuite(w, &suite)
}

// writeSuite writes one suite as a whole file.
func writeSuite(w io.Writer, suite *junitSuite) error {
	suite.Tests = len(suite.Cases)
	all := junitSuites{Name: "smtlark", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time, Suites: []junitSuite{*suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// clean adds the tests that passed, and that with an error.
func (s *junitSuite) clean(d *Data) {
	st := d.Run.Stats
	for i := range st.Targets {
		name := st.Targets[i].Name
		if !slices.ContainsFunc(d.Findings, func(f reportFinding) bool { return slices.Contains(f.wrong(), name) }) {
			s.Cases = append(s.Cases, junitTestCase{Name: xmlText(name), ClassName: "target", Time: fmt.Sprintf("%.3f", st.Targets[i].Wall)})
		}
	}
	if st.Internal > 0 {
		e := &junitFailure{Message: fmt.Sprintf("%d internal errors of smtlark", st.Internal), Type: "internal", Text: xmlText(strings.Join(st.ErrorList, "\n"))}
		s.Cases = append(s.Cases, junitTestCase{Name: "smtlark itself", ClassName: "internal", Time: "0.000", Error: e})
		s.Errors++
	}
}

// passes says why a finding does not make its build fail; "" if it does.
func (d *Data) passes(f *reportFinding) string {
	switch {
	case d.FailOn == FailOnNone:
		return "findings do not make this build fail"
	case d.Run == nil:
		return ""
	case d.Run.Plan != nil && d.Run.Plan.OnlyReferences(f.wrong()):
		return "only solvers have it that are not under test"
	case d.FailOn == FailOnNew && f.Found.Before(d.Run.Stats.Started) && f.Status != folder.StatusRegressed:
		return "known: an earlier run found it"
	}
	return ""
}

func (s *junitSuite) add(d *Data, f *reportFinding) {
	c := junitTestCase{Name: fmt.Sprintf("finding %s: %s", f.ID, xmlText(f.Verdict.Summary)), ClassName: xmlText(f.Verdict.Kind), Time: "0.000", File: f.Folder + "/" + f.File}
	why := d.passes(f)
	switch {
	case why != "":
		c.Skipped = &junitSkipped{why}
		s.Skipped++
	case f.IsDismissed():
		c.Skipped = &junitSkipped{display.Text(f.StatusWords())}
		s.Skipped++
	case f.Flaky:
		c.Skipped = &junitSkipped{fmt.Sprintf("did not reproduce: 0 of %d", f.Tries)}
		s.Skipped++
	default:
		var b strings.Builder
		fmt.Fprintf(&b, "reproduced %d of %d, seen %s\n", f.Hits, f.Tries, plural(f.Count, "time", "times"))
		for _, o := range f.Outcomes {
			fmt.Fprintf(&b, "%s: %s\n", o.Target, o.Outcome)
		}
		fmt.Fprintf(&b, "again: smtlark repro %s\nthe case: %s\n\n%s", f.Folder, f.Replay, f.Text)
		if f.Cut {
			b.WriteString("\n; … the rest is in " + f.File)
		}
		c.Failure = &junitFailure{Message: xmlText(f.Verdict.Summary), Type: xmlText(f.Verdict.Kind), Text: xmlText(b.String())}
		s.Failures++
	}
	s.Cases = append(s.Cases, c)
}

// xmlText makes text fit for XML 1.0, which has no control characters: the encoder would write them as U+FFFD, which
// says less.
func xmlText(s string) string { return display.Text(s) }
