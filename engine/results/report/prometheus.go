package report

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/campaign/metrics"
)

// prometheusType is the type of Prometheus's text exposition format, version 0.0.4. It is written by hand: the metrics
// are declared elsewhere, and a client library would want them declared once more.
const prometheusType = "text/plain; version=0.0.4; charset=utf-8"

// prometheusName is the name of a metric as Prometheus wants it: with its unit, and _total for counters.
func prometheusName(m *metrics.Metric) string {
	name := "smtlark_" + strings.ReplaceAll(m.Name, ".", "_")
	switch m.Unit {
	case "s":
		name += "_seconds"
	case "share":
		name += "_ratio"
	case "/s":
		name += "_per_second"
	}
	if m.Kind == "counter" {
		name += "_total"
	}
	return name
}

// prometheus writes all metrics of some campaigns in Prometheus's text format, and smtlark_info, whose labels hold the
// values that are not numbers.
func prometheus(w io.Writer, campaigns ...*metrics.Stats) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "# HELP smtlark_info What runs; the value is 1.\n# TYPE smtlark_info gauge\n")
	for _, s := range campaigns {
		fmt.Fprintf(b, "smtlark_info%s 1\n", labels([]string{"campaign", "technique", "seed", "state"}, []string{s.Campaign, s.Technique, s.Seed, s.State}))
	}
	for _, m := range metrics.Metrics() {
		name := prometheusName(&m)
		head := fmt.Sprintf("# HELP %s %s\n# TYPE %s %s\n", name, strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(m.Help), name, m.Kind)
		for _, s := range campaigns {
			for _, sample := range m.Samples(s) {
				b.WriteString(head)
				head = ""
				names, values := append([]string{"campaign"}, m.Labels...), append([]string{s.Campaign}, sample.Labels...)
				if m.Kind == "histogram" {
					writeHistogram(b, name, names, values, sample)
					continue
				}
				fmt.Fprintf(b, "%s%s %s\n", name, labels(names, values), float(sample.Value))
			}
		}
	}
	return b.Flush()
}

// writeHistogram writes the cumulative counts of a histogram.
func writeHistogram(b *bufio.Writer, name string, names, values []string, s metrics.Sample) {
	total := uint64(0)
	names = append(slices.Clone(names), "le")
	for i := 0; ; i++ {
		bound, ok := metrics.HistogramBound(i)
		if !ok {
			break
		}
		if i < len(s.Histogram) {
			total += s.Histogram[i]
		}
		fmt.Fprintf(b, "%s_bucket%s %d\n", name, labels(names, append(slices.Clone(values), float(bound))), total)
	}
	fmt.Fprintf(b, "%s_bucket%s %d\n", name, labels(names, append(slices.Clone(values), "+Inf")), s.Histogram.Total())
	own := labels(names[:len(names)-1], values)
	fmt.Fprintf(b, "%s_sum%s %s\n%s_count%s %d\n", name, own, float(s.Value), name, own, s.Histogram.Total())
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labels writes {name="value",...}. Names are ours; values may come from anywhere.
func labels(names, values []string) string {
	var b strings.Builder
	for i, n := range names {
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		b.WriteByte(sep)
		fmt.Fprintf(&b, `%s="%s"`, n, labelEscapes.Replace(strings.ToValidUTF8(values[i], "\uFFFD")))
	}
	return b.String() + "}"
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// MetricsHandler serves the metrics of the campaigns that stats returns, at any path.
func MetricsHandler(stats func() []*metrics.Stats) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", prometheusType)
		_ = prometheus(w, stats()...) // the client went away
	})
}
