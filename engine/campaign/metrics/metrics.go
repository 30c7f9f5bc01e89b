package metrics

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Metric is a number of Stats that is worth watching; Stats declares it.
type Metric struct {
	Name   string   // path of its field in stats.json, such as targets.sat
	Kind   string   // counter, gauge or histogram
	Unit   string   // s, share (from 0 to 1), /s, or "" for counts
	Help   string   // its meaning
	Short  string   // its name in the heartbeat line, "" when it is not there
	Labels []string // names of the labels that distinguish its samples
	path   []int    // indices of fields, from Stats down
}

// Sample is one value of a metric.
type Sample struct {
	Labels    []string // values of Metric.Labels
	Value     float64
	Histogram Histogram // of a histogram, whose Value is the sum of all that it counted, in the unit of the metric
}

// Metrics returns all metrics, in the order in which Stats declares them.
func Metrics() []Metric { return slices.Clone(metrics()) }

// metrics is not computed at the start: most verbs need none of them.
var metrics = sync.OnceValue(func() []Metric { return declaredMetrics(reflect.TypeFor[Stats](), "", nil, nil) })

// campaignPath is the import path of the structs that make up Stats: this package and its neighbours.
var campaignPath = strings.TrimSuffix(reflect.TypeFor[Stats]().PkgPath(), "metrics")

// declaredMetrics collects the metrics of a struct.
func declaredMetrics(t reflect.Type, prefix string, labels []string, path []int) (out []Metric) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		here := append(slices.Clone(path), i)
		inner := labels
		if l := f.Tag.Get("label"); l != "" {
			inner = append(slices.Clone(labels), l)
		}
		elem := f.Type
		if elem.Kind() == reflect.Slice && f.Tag.Get("label") != "" {
			elem = elem.Elem()
		}
		switch {
		case f.Tag.Get("metric") != "":
			out = append(out, Metric{
				Name: prefix + name, Kind: f.Tag.Get("metric"), Unit: f.Tag.Get("unit"), Help: f.Tag.Get("help"), Short: f.Tag.Get("short"),
				Labels: inner, path: here,
			})
		case f.Anonymous && name == "": // JSON shows its fields as those of the struct that it is embedded in
			out = append(out, declaredMetrics(elem, prefix, inner, here)...)
		case elem.Kind() == reflect.Struct && strings.HasPrefix(elem.PkgPath(), campaignPath):
			out = append(out, declaredMetrics(elem, prefix+name+".", inner, here)...)
		}
	}
	return out
}

// Samples returns the values of the metric: one, or one for each value of its labels, in the order of Stats or sorted.
func (m *Metric) Samples(s *Stats) []Sample {
	return samplesOf(reflect.ValueOf(s).Elem(), m.path, nil, nil)
}

func samplesOf(v reflect.Value, path []int, labels []string, out []Sample) []Sample {
	switch v.Kind() {
	case reflect.Struct:
		parent := v
		v = v.Field(path[0])
		if h, ok := v.Interface().(Histogram); ok {
			return append(out, Sample{Labels: labels, Value: parent.FieldByName("Wall").Float(), Histogram: h})
		}
		return samplesOf(v, path[1:], labels, out)
	case reflect.Slice:
		for i := range v.Len() {
			e := v.Index(i)
			out = samplesOf(e, path, append(slices.Clone(labels), e.FieldByName("Name").String()), out)
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			out = append(out, Sample{Labels: append(slices.Clone(labels), k.String()), Value: asNumber(v.MapIndex(k))})
		}
	default:
		out = append(out, Sample{Labels: labels, Value: asNumber(v)})
	}
	return out
}

func asNumber(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}
