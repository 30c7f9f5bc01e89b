package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/ground/display"
)

//go:embed assets
var pageFiles embed.FS

func pageFile(name string) string {
	text, err := pageFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

var (
	pageCSS = pageFile("page.css")
	pageJS  = pageFile("page.js")
)

// pageTmpl are the templates, which take a millisecond to read: few processes need them.
var pageTmpl = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"plural": plural,
		"text":   display.Text, "num": number, "dur": duration,
		"date": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
		"rfc":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"sec":  func(s float64) string { return fmt.Sprintf("%.3f", s) },
		"rate": rateText, "share": func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
		"ratio":   func(f pageFinding) float64 { return float64(f.Hits) / float64(max(1, f.Tries)) },
		"size":    func(f pageFinding) int { return smallest(&f.reportFinding) },
		"slug":    func(id string) string { return strings.ReplaceAll(id, "/", "-") },
		"parts":   nameParts,
		"hash":    shortHash,
		"tableof": tableOf,
		"cells":   cellMaps, "cellsheet": cellSheet,
	}).ParseFS(pageFiles, "assets/*.tmpl"))
})

// nameParts is the name of a target, which may be broken between its parts only.
func nameParts(name string) template.HTML {
	return template.HTML(strings.NewReplacer("/", "/<wbr>", ":", ":<wbr>").Replace(html.EscapeString(display.Text(name))))
}

// tableOf is a table whose first row is its head, for a template.
func tableOf(rows [][]string, caption string) *dataTable {
	return &dataTable{Caption: caption, Head: rows[0], Rows: rows[1:]}
}

func smallest(f *reportFinding) int {
	if f.MinBytes > 0 {
		return f.MinBytes
	}
	return f.CaseBytes
}

// rateText is the rate of a run: the present one of a run that goes on, the mean of one that is over.
func rateText(s *metrics.Stats) string {
	rate := s.Rate
	if s.State == metrics.StateDone && s.Elapsed > 0 {
		rate = float64(s.Cases) / s.Elapsed
	}
	return fmt.Sprintf("%.1f", rate)
}

func shortHash(h template.HTML) string {
	sum := sha256.Sum256([]byte(h))
	return hex.EncodeToString(sum[:8])
}

// policy is the content security policy of a page: it may use its own style and script and nothing else; the live page
// may fetch itself.
func policy(live bool) string {
	source := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	p := "default-src 'none'; img-src data:; style-src " + source(pageCSS) + "; script-src " + source(pageJS) + "; base-uri 'none'; form-action 'none'"
	if live {
		p += "; connect-src 'self'"
	}
	return p
}

// part is a section of the page that the live page replaces when it changes.
type part struct {
	Name string
	HTML template.HTML
}

// columnHead is a column of the table of findings.
type columnHead struct{ Name, Class string }

var findingColumns = []columnHead{
	{"number", ""}, {"severity", ""}, {"what", ""}, {"target", "less place"}, {"reproduced", "n less"}, {"seen", "n less"}, {"bytes", "n less"}, {"status", "less"},
}

// pageFinding is a finding as the page shows it.
type pageFinding struct {
	reportFinding
	Order int    // by its number, flaky ones behind all others
	Place int    // of its severity; less is more serious
	Short string // its severity in a word or two
	Brief bool   // the page has no room for its case, the runs and the history
}

// These bound the contents of the page, so that it loads at once for any campaign. The rest is in the folders of the
// findings.
const (
	maxCaseRoom    = 180 << 10 // bytes of cases, with the outcomes of their runs and their later checks
	maxFindingRoom = 270 << 10 // bytes of all else about findings
	maxCards       = 3
	maxCardBytes   = 2 << 10
)

// pageFindings are the findings that the page shows, those behind its room without their cases and histories, and how
// many are left out.
func pageFindings(d *Data) (list []pageFinding, left int) {
	cases, room := maxCaseRoom, maxFindingRoom
	for i := range d.Findings {
		f := pageFinding{reportFinding: d.Findings[i], Order: d.Findings[i].Number, Place: int(d.Findings[i].Severity), Short: d.Findings[i].Severity.Short()}
		if f.Flaky {
			f.Order += 1 << 30
		}
		if room -= f.accountBytes(); room < 0 {
			return list, len(d.Findings) - i
		}
		if cases -= f.caseBytes(); cases < 0 {
			cases = 0
			f.Brief = true
		}
		list = append(list, f)
	}
	return list, 0
}

// accountBytes estimates the size of a finding in the page, without its case.
func (f *pageFinding) accountBytes() int {
	const frame = 1500
	n := frame + 2*len(f.Verdict.Summary) + 2*len(f.Verdict.Kind) + 2*len(f.StatusWords()) + len(f.Replay) + len(f.Signature.Text) + len(f.Case.Origin.Technique) + len(f.Needs) + 2*len(f.Folder)
	for _, t := range f.Verdict.Targets {
		n += len(t)
	}
	return n
}

// caseBytes estimates the bytes that its case takes, with its runs and its history.
func (f *pageFinding) caseBytes() int {
	const line = 150
	n := len(f.Text) + len(f.Verdict.Detail) + line*(len(f.Outcomes)+len(f.Checks)+len(f.History)+len(f.Members))
	for _, t := range slices.Concat(f.Case.Origin.Steps, f.Case.Origin.Seeds) {
		n += len(t)
	}
	return n
}

// serious are the findings to look at first: the most serious that are open and reproduce, each with the beginning of
// its case.
func serious(list []pageFinding) (cards []pageFinding) {
	for _, f := range list {
		if f.Flaky || f.IsDismissed() || len(cards) == maxCards {
			continue
		}
		if len(f.Text) > maxCardBytes {
			f.Text, f.Cut = strings.ToValidUTF8(f.Text[:maxCardBytes], ""), true
		}
		cards = append(cards, f)
	}
	return cards
}

// pageData is the input of the templates.
type pageData struct {
	D                     *Data
	Title, Verdict, State string
	Solid                 int
	Live                  int // milliseconds between updates; 0 for a page that stays as it is
	Running               bool
	Columns               []columnHead
	Kinds                 []string
	Findings, Serious     []pageFinding
	Left                  int // findings that the page has no room for
	Targets, Yields       [][]string
	Refusals, Options     [][]string
	Change, Files         [][]string
	Facts                 []fact
	Metrics               string // see metricSheet
	Plots                 []*figure
	Policy                string
	CSS                   template.CSS
	JS                    template.JS
	Head                  template.HTML
	Parts                 []part
}

// HTML writes the report as one page that needs no other file and no network.
func HTML(w io.Writer, d *Data) error { return page(w, d, 0) }

// page writes the page; live is the number of milliseconds between updates, 0 for a page that stays as it is.
func page(w io.Writer, d *Data, live int) error {
	p := &pageData{D: d, Title: title(d), Verdict: verdict(d), Live: live, Columns: findingColumns, Policy: policy(live > 0), CSS: template.CSS(pageCSS), JS: template.JS(pageJS)}
	p.Title = display.Text(p.Title)
	p.Verdict = display.Text(p.Verdict)
	p.Solid, _ = d.Counts()
	for i := range d.Findings {
		if !slices.Contains(p.Kinds, d.Findings[i].Verdict.Kind) {
			p.Kinds = append(p.Kinds, d.Findings[i].Verdict.Kind)
		}
	}
	slices.Sort(p.Kinds)
	p.Findings, p.Left = pageFindings(d)
	p.Serious = serious(p.Findings)
	if r := d.Run; r != nil {
		s := r.Stats
		p.State, p.Running = s.State, r.Live
		// A run that was killed leaves the state that it was in.
		if !r.Live && s.State != metrics.StateDone {
			p.State = "did not end properly"
		}
		p.Change, p.Files = changeRows(s), fileRows(s)
		p.Targets, p.Yields, p.Refusals, p.Options, p.Facts = targetRows(s.Targets), yieldRows(s), refusalRows(s.Refused), optionRows(s.Options), environment(r)
		p.Metrics = metricSheet(s)
		if s.Cases > 0 || len(r.Points) > 0 {
			p.Plots = slices.Concat([]*figure{plotRate(r), plotFindings(r)}, plotMix(s), plotEdges(r), []*figure{plotYields(s), plotLatency(s)})
		}
	}
	render := func(name string) (template.HTML, error) {
		var b bytes.Buffer
		err := pageTmpl().ExecuteTemplate(&b, name, p)
		return template.HTML(strings.TrimSpace(b.String())), err
	}
	var err error
	if p.Head, err = render("head"); err != nil {
		return err
	}
	for _, name := range []string{"health", "serious", "plots", "findings", "tables"} {
		h, err := render(name)
		if err != nil {
			return err
		}
		p.Parts = append(p.Parts, part{name, h})
	}
	return pageTmpl().ExecuteTemplate(w, "page", p)
}

// maxSamples is the number of samples of metrics that a page has room for.
const maxSamples = 4000

// metricSheet is all metrics of a run as text for the page's script, which makes a table of them when it is opened.
// Fields are separated by tabs: a line metric has a name and its meaning, a line sample the labels and the value of one
// of its samples.
func metricSheet(s *metrics.Stats) string {
	var b strings.Builder
	n := 0
	for _, m := range metrics.Metrics() {
		fmt.Fprintf(&b, "metric\t%s\t%s\n", m.Name, display.Line(m.Help))
		for _, sample := range m.Samples(s) {
			if n++; n > maxSamples {
				return b.String()
			}
			fmt.Fprintf(&b, "sample\t%s\t%s\n", display.Line(strings.Join(sample.Labels, " ")), metricValue(&m, sample))
		}
	}
	return b.String()
}

// metricValue writes a sample of a metric for people.
func metricValue(m *metrics.Metric, s metrics.Sample) string {
	switch {
	case m.Kind == "histogram":
		return fmt.Sprintf("median %s of %s", span(s.Histogram.Quantile(0.5)), number(s.Histogram.Total()))
	case m.Unit == "s":
		return fmt.Sprintf("%.3f s", s.Value)
	case m.Unit == "share":
		return fmt.Sprintf("%.1f %%", 100*s.Value)
	case m.Unit == "/s":
		return fmt.Sprintf("%.1f /s", s.Value)
	default:
		return number(uint64(max(0, s.Value)))
	}
}
