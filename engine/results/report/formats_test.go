package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"

	"github.com/smtlark/smtlark/engine/judge/testcase"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/results/store"
	"github.com/smtlark/smtlark/engine/results/store/folder"
	_ "github.com/smtlark/smtlark/internal/rapidseed"
)

// evil is hostile text that a solver might print.
const evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)> \u202egnp\u202c \x1b[2J\x00 `a` | [x](http://evil.example) @all ]]> \xff ''\" --"

// sample is a report with everything that a report can have, all text hostile.
func sample() *Data {
	s := stats()
	s.Campaign, s.Technique, s.File, s.StopReason = evil, evil, evil, evil
	s.Techniques = []metrics.TechniqueStats{{Name: evil, Cases: 1000, Repeats: 10, Verdicts: 7, Findings: 2, MakeTime: 3}}
	s.Steps = []metrics.TechniqueStats{{Name: evil, Cases: 10}}
	s.Targets[0].Name, s.Targets[0].Asked, s.Targets[0].Checks, s.Targets[0].Latency = evil, 1000, 1000, metrics.Histogram{5, 900, 95}
	s.Health, s.ErrorList = []string{evil}, []string{evil}
	begun := time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)
	s.Started, s.Updated = begun, begun.Add(time.Hour)
	r := &reportRun{
		ID: "camp/2026", Dir: "runs/camp/2026", Stats: s, Set: map[string]string{evil: evil},
		Plan:     &finding.Plan{Declared: finding.Declared{Name: evil}, Oracles: []string{evil}, Targets: []finding.Target{{Name: evil, Version: evil, Expr: evil}}},
		Marks:    []pointMark{{1, "finding", 1, evil, "k1", evil}, {2, "flaky", 1, evil, "k2", evil}},
		Troubles: []runTrouble{{3, evil, evil}},
	}
	for i := range 10 {
		r.Points = append(r.Points, metrics.Stats{Progress: metrics.Progress{Elapsed: float64(i)}, CaseStats: metrics.CaseStats{Cases: uint64(i * i)}})
	}
	f := reportFinding{
		ID: "1", Folder: "findings/0001-a b#?%", File: "min.smt2", Outcomes: []runOutcome{{evil, evil, evil, 0.1, true}}, Text: evil + "\n```\nx", Cut: true,
		Record: &folder.Record{CaseBytes: 900, MinBytes: 80, Replay: evil, Title: evil},
	}
	f.Number, f.Hits, f.Tries, f.Needs, f.Logic = 1, 2, 3, evil, evil
	f.Verdict = oracle.Verdict{Kind: evil, Oracle: evil, Summary: evil, Detail: evil, Targets: []string{evil}, Against: []string{evil}}
	f.Signature = triage.Signature{Key: "k1", Text: evil}
	f.Case = &testcase.Wire{Origin: testcase.Origin{Campaign: evil, Technique: evil, Steps: []string{evil}, Seeds: []string{evil}}}
	f.Plan = &finding.Plan{Targets: []finding.Target{{Kind: evil, Version: evil}}}
	f.Sightings = finding.Sightings{Count: 5, Found: begun, Members: []finding.Member{{N: 7, Reason: evil}}}
	f.Lifecycle = folder.Lifecycle{
		LastSeen: begun, Status: evil, Checks: []folder.VersionCheck{{Check: finding.Check{Kind: evil, Version: evil, Outcome: evil, Hits: 1, Tries: 2}, Time: begun}},
		History: []folder.HistoryEvent{{Time: begun, What: evil, Text: evil}},
	}
	h, g := another(f, "2", 2, "k3"), another(f, "flaky/1", 1, "k2")
	h.Status, h.Verdict.Kind = folder.StatusInvalid, "crash"
	g.Flaky, g.Hits, g.Verdict.Kind = true, 0, "crash"
	return &Data{Version: dataVersion, Tool: "smtlark v1", Made: begun, Folder: "x", Run: r, Runs: []runLine{{ID: evil, Stats: r.Stats}, {ID: "camp/2026", Stats: r.Stats}}, Findings: []reportFinding{f, h, g}}
}

// another returns a finding like f with an identity of its own.
func another(f reportFinding, id string, number int, key string) reportFinding {
	record := *f.Record
	f.Record, f.ID = &record, id
	f.Number, f.Signature.Key = number, key
	return f
}

func TestHostileTextStaysText(t *testing.T) {
	d := sample()
	for name, write := range map[string]func(io.Writer, *Data) error{
		"html": HTML, "live": func(w io.Writer, d *Data) error { return page(w, d, 1000) }, "md": Markdown, "junit": JUnit, "sarif": SARIF,
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b, d), name)
		text := b.String()
		require.True(t, utf8.ValidString(text), name)
		for _, bad := range []string{"\x00", "\x1b", "\u202e"} {
			require.NotContains(t, text, bad, name)
		}
		switch name {
		case "html", "live":
			require.NotContains(t, text, "<script>alert", name)
			require.NotContains(t, text, "<img", name)
			require.Equal(t, 1, strings.Count(text, "<script"), name)
			require.Equal(t, 1, strings.Count(text, "</script>"), name)
			require.NotRegexp(t, regexp.MustCompile(`(?i)(src|href|action)\s*=\s*["']?\s*(https?:|//)`), text, "no address of anywhere else")
			require.NotRegexp(t, regexp.MustCompile(`(?i)@import|url\(`), text)
			require.NotRegexp(t, regexp.MustCompile(`<[a-z]+[^>]* style=`), text, "the policy forbids it")
		case "md":
			outside := regexp.MustCompile("(?s)(````+)smt2.*?````+").ReplaceAllString(text, "")
			require.Contains(t, outside, "\n- the case: ``</script>", "text with backquotes as code")
			outside = regexp.MustCompile("\n- the case: ``.*``\n").ReplaceAllString(outside, "")
			require.NotContains(t, outside, "<", name)
			require.NotContains(t, outside, "http://", name)
			require.NotRegexp(t, `[^\\]\[x\]`, outside)
			for _, l := range strings.Split(outside, "\n") {
				if strings.HasPrefix(l, "| 1 ") {
					require.Equal(t, 10, len(regexp.MustCompile(`[^\\]\|`).FindAllString(" "+l, -1)), "nine columns: %s", l)
				}
			}
		}
	}
}

func TestVisible(t *testing.T) {
	require.Equal(t, `a\u{1b}b\xff`+"\n\tc\u00e9", display.Text("a\x1bb\xff\n\tc\u00e9"))
	require.Equal(t, `\u{202e}\u{feff}\u{2028}\u{fffd}`, display.Text("\u202e\ufeff\u2028\ufffd"))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		v := display.Text(s)
		require.True(t, utf8.ValidString(v))
		require.NotContains(t, v, "\uFFFD")
		require.Equal(t, v, display.Text(v), "once is enough")
	})
}

// sarifSubset has what SARIF 2.1.0 (OASIS, 2020) says about the properties that we write: required ones, and types.
// Section numbers are those of the standard.
var sarifSubset = map[string]struct{ required, optional []string }{
	"":                          {[]string{"$schema", "version", "runs"}, nil},                                                                                                        // 3.13
	"runs":                      {[]string{"tool", "results", "columnKind", "originalUriBaseIds"}, []string{"invocations"}},                                                           // 3.14
	"runs.tool":                 {[]string{"driver"}, nil},                                                                                                                            // 3.18
	"runs.tool.driver":          {[]string{"name", "rules", "informationUri"}, []string{"version"}},                                                                                   // 3.19
	"runs.tool.driver.rules":    {[]string{"id", "name", "shortDescription", "defaultConfiguration"}, nil},                                                                            // 3.49
	"runs.invocations":          {[]string{"executionSuccessful"}, []string{"startTimeUtc", "endTimeUtc"}},                                                                            // 3.20
	"runs.results":              {[]string{"message", "ruleId", "ruleIndex", "level", "locations", "partialFingerprints", "occurrenceCount"}, []string{"properties", "suppressions"}}, // 3.27
	"runs.results.suppressions": {[]string{"kind", "justification"}, nil},                                                                                                             // 3.35
	"runs.results.message":      {[]string{"text"}, nil},                                                                                                                              // 3.11
	"runs.results.locations":    {[]string{"physicalLocation"}, nil},                                                                                                                  // 3.28
	"runs.results.locations.physicalLocation":                  {[]string{"artifactLocation", "region"}, nil}, // 3.29
	"runs.results.locations.physicalLocation.artifactLocation": {[]string{"uri", "uriBaseId"}, nil},           // 3.4
	"runs.results.locations.physicalLocation.region":           {[]string{"startLine"}, nil},                  // 3.30
}

// walkSARIF calls f for each object with the path of property names to it.
func walkSARIF(x any, path string, f func(path string, o map[string]any)) {
	switch x := x.(type) {
	case map[string]any:
		f(path, x)
		for k, v := range x {
			walkSARIF(v, strings.TrimPrefix(path+"."+k, "."), f)
		}
	case []any:
		for _, v := range x {
			walkSARIF(v, path, f)
		}
	}
}

func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, SARIF(&b, sample()))
	var doc map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &doc))
	seen := map[string]bool{}
	walkSARIF(doc, "", func(path string, o map[string]any) {
		want, ok := sarifSubset[path]
		if !ok {
			return
		}
		seen[path] = true
		known := append(append([]string{}, want.required...), want.optional...)
		for _, k := range want.required {
			require.Contains(t, o, k, path)
		}
		for k := range o {
			require.Contains(t, known, k, path)
		}
	})
	require.Len(t, seen, len(sarifSubset), "every kind of object occurs")
	require.Equal(t, "2.1.0", doc["version"])
	run := doc["runs"].([]any)[0].(map[string]any)
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	ids := map[string]bool{}
	for _, r := range rules {
		id := r.(map[string]any)["id"].(string)
		require.False(t, ids[id], "ids of rules are unique (3.49.3)")
		ids[id] = true
	}
	levels := []string{}
	for _, r := range run["results"].([]any) {
		res := r.(map[string]any)
		require.Equal(t, rules[int(res["ruleIndex"].(float64))].(map[string]any)["id"], res["ruleId"], "3.27.6")
		levels = append(levels, res["level"].(string))
		uri := res["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)["artifactLocation"].(map[string]any)["uri"]
		require.Equal(t, "findings/0001-a%20b%23%3F%25/min.smt2", uri, "a relative reference (RFC 3986)")
	}
	require.Equal(t, []string{"error", "error", "note"}, levels)
	inv := run["invocations"].([]any)[0].(map[string]any)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, inv["startTimeUtc"], "3.9")

	b.Reset()
	require.NoError(t, SARIF(&b, &Data{Tool: "smtlark"}))
	require.Contains(t, b.String(), `"results": []`, "no findings: an empty array, which says that there was a search (3.14.23)")
}

// junitElements are the elements that build servers know, with their attributes and children (the schema of Jenkins's
// xUnit plugin).
var junitElements = map[string]struct{ attrs, children []string }{
	"testsuites": {[]string{"name", "tests", "failures", "errors", "time"}, []string{"testsuite"}},
	"testsuite":  {[]string{"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}, []string{"properties", "testcase"}},
	"properties": {nil, []string{"property"}},
	"property":   {[]string{"name", "value"}, nil},
	"testcase":   {[]string{"name", "classname", "time", "file"}, []string{"skipped", "error", "failure"}},
	"skipped":    {[]string{"message"}, nil},
	"error":      {[]string{"message", "type"}, nil},
	"failure":    {[]string{"message", "type"}, nil},
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, JUnit(&b, sample()))
	dec := xml.NewDecoder(&b)
	var stack []string
	count := map[string]int{}
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			info, ok := junitElements[name]
			require.True(t, ok, name)
			if len(stack) > 0 {
				require.Contains(t, junitElements[stack[len(stack)-1]].children, name)
			}
			for _, a := range tok.Attr {
				require.Contains(t, info.attrs, a.Name.Local, name)
			}
			count[name]++
			stack = append(stack, name)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
	// A target without findings, a finding, a flaky one, and an internal error.
	require.Equal(t, map[string]int{"testsuites": 1, "testsuite": 1, "properties": 1, "property": 5, "testcase": 5, "skipped": 2, "error": 1, "failure": 1}, count)
	b.Reset()
	require.NoError(t, JUnit(&b, sample()))
	var got junitSuites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &got))
	require.Equal(t, 5, got.Tests)
	require.Equal(t, 1, got.Failures)
	require.Equal(t, 1, got.Errors)
	require.Equal(t, 2, got.Suites[0].Skipped)
	require.Equal(t, display.Text(evil), got.Suites[0].Cases[len(got.Suites[0].Cases)-3].Failure.Message)
}

func TestPrometheus(t *testing.T) {
	var b bytes.Buffer
	s := stats()
	s.Targets[0].Name = "z3\"\\\n" + evil
	s.Targets[0].Latency = metrics.Histogram{1, 2, 0, 4}
	require.NoError(t, prometheus(&b, s, stats()))
	name := `[a-z_:][a-z0-9_:]*`
	label := name + `="(?:[^"\\\n]|\\\\|\\"|\\n)*"`
	line := regexp.MustCompile(`^(?:# HELP ` + name + ` .+|# TYPE ` + name + ` (?:counter|gauge|histogram)|` + name + `\{` + label + `(?:,` + label + `)*\} (?:[0-9.e+-]+|\+Inf|NaN))$`)
	types, series := map[string]int{}, map[string]bool{}
	for _, l := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		require.Regexp(t, line, l)
		if n, ok := strings.CutPrefix(l, "# TYPE "); ok {
			types[n]++
			require.Equal(t, 1, types[n], "a family stands in one place")
		}
		if !strings.HasPrefix(l, "#") {
			id := l[:strings.LastIndexByte(l, ' ')]
			if !strings.Contains(l, `campaign="quick`) || !series[id] {
				series[id] = true
			}
		}
	}
	text := b.String()
	require.Contains(t, text, "smtlark_cases_total{campaign=\"quick\x1b[2Jstart\"} 1.234567e+06\n")
	require.Contains(t, text, "# TYPE smtlark_cpu_engine_share_ratio gauge\n")
	require.Regexp(t, `smtlark_targets_latency_seconds_bucket\{[^\n]*le="0.002"\} 3\n`, text)
	require.Regexp(t, `smtlark_targets_latency_seconds_bucket\{[^\n]*le="65.536"\} 7\n[^\n]*le="\+Inf"\} 7\n`, text)
	require.Regexp(t, `smtlark_targets_latency_seconds_sum\{[^\n]*\} 2\n`, text)
	require.Regexp(t, `smtlark_targets_latency_seconds_count\{[^\n]*\} 7\n`, text)
}

// TestContrast holds the colours of the page to WCAG 2.2: 4.5 for text, 3 for graphics.
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(pageCSS, -1)
	require.Len(t, themes, 3, "light, dark, print")
	for i, m := range themes {
		c := map[string]string{}
		for _, v := range regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]+)`).FindAllStringSubmatch(m[1], -1) {
			color := v[2]
			if len(color) == 4 {
				color = "#" + strings.Repeat(color[1:2], 2) + strings.Repeat(color[2:3], 2) + strings.Repeat(color[3:4], 2)
			}
			c[v[1]] = color
		}
		for _, p := range []struct {
			a, b string
			min  float64
		}{
			{"ink", "bg", 7}, {"ink", "card", 7}, {"soft", "bg", 4.5}, {"soft", "card", 4.5}, {"link", "bg", 4.5}, {"link", "card", 4.5},
			{"bad", "bg", 4.5}, {"bad", "card", 4.5}, {"ok", "bg", 4.5}, {"warn-ink", "warn-bg", 4.5}, {"mark", "card", 3}, {"mark2", "card", 3},
		} {
			require.NotEmpty(t, c[p.a], p.a)
			require.NotEmpty(t, c[p.b], p.b)
			require.GreaterOrEqual(t, contrast(c[p.a], c[p.b]), p.min, "theme %d: %s on %s", i, p.a, p.b)
		}
	}
	require.InDelta(t, 21, contrast("#000000", "#ffffff"), 0.01)
	for _, color := range []string{colorSat, colorUnsat, colorUnknown, colorNone, colorOK, colorTimeout, colorMemory, colorCrash, colorDeclined, colorRejected, colorOther} {
		require.GreaterOrEqual(t, contrast(color, inkOn(color)), 4.5, "text on %s", color)
	}
}

// runFolder writes the folder of a run that is going on, with a finding.
func runFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	s := stats()
	s.Campaign, s.Version = "camp", metrics.StatsVersion
	text, err := json.Marshal(s)
	require.NoError(t, err)
	write("runs/camp/2026-11-01T10-00-00Z/stats.json", string(text))
	write("runs/camp/2026-11-01T10-00-00Z/events.jsonl", `{"time":"2026-11-01T10:00:00Z","event":"start","plan":{"name":"camp"},"options":{"seed":1,"set":{"a":"b"}}}
{"time":"2026-11-01T10:00:05Z","event":"progress","stats":{"elapsed":5,"cases":50,"targets":[{"name":"z3","runs":50,"latency":[1,2]}]}}
not json
{"time":"2026-11-01T10:00:07Z","event":"finding","number":1,"kind":"crash","summary":"it crashes","signature":{"key":"k1","text":"t"}}
{"time":"2026-11-01T10:00:08Z","event":"worker-death","reason":"SIGKILL\nmore"}
{"time":"2026-11-01T10:00:09Z","event":"progr`)
	write("findings/0001-x/finding.json", findingJSON(1, "crash", "it crashes"))
	write("findings/0001-x/case.smt2", "(check-sat)\n"+strings.Repeat("; é\n", maxText))
	write("findings/0001-x/runs/z3.json", `{"target":"z3","version":"4","outcome":"crash","class":"crash","wall_seconds":0.5}`)
	write("findings/0001-x/runs/confirm-z3.json", `{"target":"z3","outcome":"confirm","class":"crash"}`)
	write("findings/0002-y/finding.json", findingJSON(2, "slow", "of another run"))
	require.NoError(t, takeIn(dir, "0001-x", "0002-y"))
	return dir
}

// findingJSON is the finding.json of a finding with the signature kN.
func findingJSON(number int, kind, summary string) string {
	return fmt.Sprintf(`{"version":1,"number":%d,"signature":{"key":"k%[1]d","text":"t"},"hits":3,"tries":3,
		"verdict":{"kind":%q,"class":%q,"summary":%q,"target":"z3","targets":["z3"],"check":-1}}`, number, kind, cmp.Or(map[string]string{"crash": "crash"}[kind], "ok"), summary)
}

// takeIn puts folders of findings into the database beside them.
func takeIn(out string, names ...string) error {
	s, err := store.Open(out)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, _, importErr := s.Import(filepath.Join(s.Findings(), name))
		err = errors.Join(err, importErr)
	}
	return errors.Join(err, s.Close())
}

func TestLoad(t *testing.T) {
	dir := runFolder(t)
	now := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	d, err := Load(dir, "smtlark x", now)
	require.NoError(t, err)
	require.Len(t, d.Findings, 2)
	require.Len(t, d.Runs, 1)
	require.False(t, d.Run.Live, "its statistics are old")
	require.Equal(t, []pointMark{{7, "finding", 1, "crash", "k1", "it crashes"}}, d.Run.Marks)
	require.Equal(t, []runTrouble{{8, "worker-death", "SIGKILL"}}, d.Run.Troubles)
	require.Len(t, d.Run.Points, 1)
	require.Equal(t, metrics.Histogram{1, 2}, d.Run.Points[0].Targets[0].Latency)
	f := d.Findings[0]
	require.Equal(t, 1, f.Number, "the most serious first")
	require.Equal(t, []runOutcome{{"z3", "4", "crash", 0.5, true}}, f.Outcomes)
	require.True(t, f.Cut)
	require.LessOrEqual(t, len(f.Text), maxText)
	require.True(t, strings.HasPrefix(f.Text, "(check-sat)\n"))
	require.True(t, utf8.ValidString(f.Text))
	require.NotContains(t, f.Text, "\uFFFD")

	one, err := Load(filepath.Join(dir, "runs", "camp", "2026-11-01T10-00-00Z"), "smtlark x", now)
	require.NoError(t, err)
	require.True(t, one.OneRun)
	require.Len(t, one.Findings, 1, "only what the run met")

	// Points are newer than stats.json.
	path := filepath.Join(dir, "runs", "camp", "2026-11-01T10-00-00Z", "events.jsonl")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 3725.4, d.Run.Stats.Elapsed)
	require.NoError(t, os.WriteFile(path, append(text, []byte("\n"+`{"time":"2026-11-01T11:10:00Z","event":"progress","stats":{"elapsed":4000,"cases":1300000,"findings":{"new":7},"state":"draining"}}`+"\n")...), 0o644))
	later, err := Load(dir, "smtlark x", now)
	require.NoError(t, err)
	require.Equal(t, []any{4000.0, uint64(1300000), 7, "draining"}, []any{later.Run.Stats.Elapsed, later.Run.Stats.Cases, later.Run.Stats.Findings.New, later.Run.Stats.State})

	// A run that only settled findings has nothing to plot and does not replace the latest campaign run.
	settled := filepath.Join(dir, "runs", "camp", "2026-11-01T12-00-00Z")
	require.NoError(t, os.MkdirAll(settled, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(settled, "stats.json"), fmt.Appendf(nil, `{"version":%d,"state":"done","started":"2026-11-01T12:00:00Z"}`, metrics.StatsVersion), 0o644))
	after, err := Load(dir, "smtlark x", now)
	require.NoError(t, err)
	require.Len(t, after.Runs, 2)
	require.Equal(t, d.Run.ID, after.Run.ID)

	_, err = Load(t.TempDir(), "x", now)
	require.ErrorIs(t, err, ErrNothing)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "runs", "camp", "2026-11-01T10-00-00Z", "stats.json"), []byte(`{"version":99}`), 0o644))
	d, err = Load(dir, "x", now)
	require.NoError(t, err)
	require.Len(t, d.Unread, 1)
	require.ErrorContains(t, d.Unread[0], "newer smtlark")
}

func TestServer(t *testing.T) {
	dir := runFolder(t)
	s := NewServer(dir, "smtlark x")
	now := time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	s.now = func() time.Time { now = now.Add(time.Second); return now }
	h := s.Handler()
	get := func(path, host, tag string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://"+host+path, nil)
		r.Host = host
		if tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for _, host := range []string{"127.0.0.1:8420", "localhost:8420", "LOCALHOST", "[::1]:80", "127.3.4.5"} {
		require.Equal(t, 200, get("/", host, "").Code, host)
	}
	for _, host := range []string{"evil.example:8420", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", "", "[::2]:80"} {
		w := get("/", host, "")
		require.Equal(t, http.StatusForbidden, w.Code, host)
		require.NotContains(t, w.Body.String(), "crashes")
	}
	first := get("/", "localhost", "")
	require.Contains(t, first.Body.String(), "it crashes")
	require.Contains(t, first.Header().Get("Content-Security-Policy"), "connect-src 'self'")
	tag := first.Header().Get("ETag")
	again := get("/", "localhost", tag)
	require.Equal(t, http.StatusNotModified, again.Code, "nothing changed")
	require.Empty(t, again.Body.String())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "findings", "0001-x", "case.smt2"), []byte("(exit)"), 0o644))
	require.Equal(t, 200, get("/", "localhost", tag).Code, "something changed")

	require.Contains(t, get("/run/camp/2026-11-01T10-00-00Z", "localhost", "").Body.String(), "1 finding")
	require.Equal(t, "(exit)", get("/finding/1/case.smt2", "localhost", "").Body.String())
	require.Equal(t, "text/plain; charset=utf-8", get("/finding/1/case.smt2", "localhost", "").Header().Get("Content-Type"))
	require.Contains(t, get("/metrics", "localhost", "").Body.String(), "smtlark_cases_total")
	require.Contains(t, get("/report.json", "localhost", "").Body.String(), `"key": "k1"`)
	for _, path := range []string{"/run/camp/..", "/run/../findings", "/run/camp/none", "/finding/1/secret", "/finding/9/case.smt2", "/finding/../../etc/passwd", "/finding/1/..%2f..%2fx", "/nothing"} {
		w := get(path, "localhost", "")
		require.Contains(t, []int{http.StatusNotFound, http.StatusMovedPermanently, http.StatusTemporaryRedirect}, w.Code, path)
	}
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
}

func TestCompare(t *testing.T) {
	run := func(rate float64, marks ...pointMark) *Data {
		s := &metrics.Stats{CaseStats: metrics.CaseStats{Cases: uint64(rate * 100)}, Progress: metrics.Progress{Elapsed: 100}, Targets: []metrics.TargetStats{{Name: "z3", Runs: 10, Asked: 5, Wall: 1, Decided: rate / 100}}}
		return &Data{Run: &reportRun{Stats: s, Marks: marks}}
	}
	mark := func(key, what string) pointMark { return pointMark{1, what, 1, "crash", key, "sum " + key} }
	c, err := Compare(run(10, mark("a", "finding"), mark("b", "known"), mark("c", "flaky")), run(5, mark("b", "finding"), mark("b", "known"), mark("d", "finding")))
	require.NoError(t, err)
	require.Equal(t, "a", c.OnlyA[0].Signature)
	require.Equal(t, "d", c.OnlyB[0].Signature)
	require.Equal(t, "b", c.Both[0].Signature)
	require.Len(t, c.OnlyA, 1)
	require.Len(t, c.OnlyB, 1)
	require.Len(t, c.Both, 1)
	require.InDelta(t, 0.5, c.Slower, 1e-9)
	var b bytes.Buffer
	require.NoError(t, c.Text(&b))
	require.Regexp(t, `cases per second +10 +5 +-50.0%`, b.String())
	require.Regexp(t, `decided +10.0% +5.0% +-5.0 points`, b.String())
	require.Regexp(t, `time for a run +0.2000 s +0.2000 s`, b.String())
	_, err = Compare(&Data{Folder: "x"}, run(1))
	require.ErrorContains(t, err, "no run")
}

// TestPageIsSmall checks that the page of any campaign has at most a megabyte and tells what it leaves out.
func TestPageIsSmall(t *testing.T) {
	d := sample()
	first := d.Findings[0]
	d.Findings = nil
	for i := range 2000 {
		f := another(first, fmt.Sprint(i+1), i+1, "k1")
		f.Text, f.Verdict.Summary, f.Verdict.Detail = strings.Repeat("(assert true)\n", 1000), strings.Repeat("long ", 40), strings.Repeat("d", 3000)
		f.Severity = triage.WrongSat
		d.Findings = append(d.Findings, f)
	}
	d.Run.Stats.Cells = metrics.CellStats{Classes: map[string][]string{"BV": strings.Split(strings.Repeat("class,", 11)+"class", ",")}}
	for i := range 12 {
		d.Run.Stats.Cells.Targets = append(d.Run.Stats.Cells.Targets, metrics.TargetCells{Name: fmt.Sprint("target-", i)})
	}
	for i := range 700 {
		r := metrics.CellRow{Cells: 3 * 144}
		r.Theory, r.Name, r.Factors = fmt.Sprint("theory", i%20), fmt.Sprint("operator-", i), []string{"BV", "BV", "BV"}
		require.NoError(t, json.Unmarshal([]byte(`{"probed":{"target-0":"0102030405060708090a0b0c0d0e0f","target-1":"ff"}}`), &r))
		d.Run.Stats.Cells.Rows = append(d.Run.Stats.Cells.Rows, r)
	}
	var b bytes.Buffer
	require.NoError(t, HTML(&b, d))
	require.Less(t, b.Len(), 1<<20)
	require.Regexp(t, `\d+ less serious ones are left out here`, b.String())
	require.Contains(t, b.String(), `<p class="soft">The case is <code>findings/0001-a b#?%/min.smt2</code>.</p>`)
	require.Equal(t, maxCards, strings.Count(b.String(), `<article class="card"`))
	require.Less(t, strings.Count(b.String(), "<rect"), 200)
}
