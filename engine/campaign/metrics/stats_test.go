package metrics

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/testcase"
)

func TestWindow(t *testing.T) {
	var w Window
	at := time.Unix(0, 0)
	require.Zero(t, w.Rate(at, 0))
	for i := range 30 {
		w.Add(at.Add(time.Duration(i)*time.Second), uint64(100*i))
		w.Add(at.Add(time.Duration(i)*time.Second+time.Millisecond), 1) // too soon, ignored
	}
	require.InDelta(t, 100, w.Rate(at.Add(29*time.Second), 2900), 1)
	require.InDelta(t, 50, w.Rate(at.Add(39*time.Second), 2900), 1, "nothing in the last ten seconds, 1000 in the ten before")
}

// filled sets every field of v that JSON shows to something that is not zero.
func filled(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				filled(v.Field(i))
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		filled(e)
		v.SetMapIndex(reflect.ValueOf("key"), e)
	case reflect.String:
		v.SetString("text")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		if v.CanInt() {
			v.SetInt(3)
		} else {
			v.SetUint(3)
		}
	}
}

// numbers collects the paths of the numbers in a JSON value as Metric.Name writes them.
func numbers(x any, path string, labelled bool, out map[string]bool) {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			if labelled { // the key of a map is a label
				k = ""
			}
			numbers(v, strings.TrimPrefix(path+"."+k, "."), k == "classes" || k == "skipped_by" || k == "suppressed_by", out)
		}
	case []any:
		for _, v := range x {
			numbers(v, path, false, out)
		}
	case float64:
		out[strings.TrimSuffix(path, ".")] = true
	}
}

func TestEveryNumberOfStatsIsAMetric(t *testing.T) {
	var s Stats
	filled(reflect.ValueOf(&s).Elem())
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var doc any
	require.NoError(t, json.Unmarshal(text, &doc))
	inFile := map[string]bool{}
	numbers(doc, "", false, inFile)
	for path := range inFile { // numbers that describe one thing of a list
		if path == "version" || strings.HasPrefix(path, "findings.list.") || strings.HasPrefix(path, "killed_list.") || strings.HasPrefix(path, "refuted_list.") || strings.HasPrefix(path, "labels.") || strings.HasPrefix(path, "cells.rows.") || strings.HasPrefix(path, "refused.techniques.reasons.") {
			delete(inFile, path)
		}
	}
	declared := map[string]bool{}
	short := map[string]bool{}
	name := regexp.MustCompile(`^[a-z_.]+$`)
	for _, m := range Metrics() {
		require.Regexp(t, name, m.Name)
		require.False(t, declared[m.Name], "%s is declared twice", m.Name)
		declared[m.Name] = true
		require.Contains(t, []string{"counter", "gauge", "histogram"}, m.Kind, m.Name)
		require.Contains(t, []string{"", "s", "/s", "share"}, m.Unit, m.Name)
		require.NotEmpty(t, m.Help, m.Name)
		if m.Short != "" {
			require.False(t, short[m.Short], m.Short)
			require.Empty(t, m.Labels, "a metric with labels has no place in the heartbeat")
			short[m.Short] = true
		}
		samples := m.Samples(&s)
		require.NotEmpty(t, samples, m.Name)
		for _, sample := range samples {
			require.Len(t, sample.Labels, len(m.Labels), m.Name)
			require.NotZero(t, sample.Value, m.Name)
		}
	}
	require.Equal(t, inFile, declared)
}

func TestSamples(t *testing.T) {
	s := Stats{CaseStats: CaseStats{Cases: 7}, Targets: []TargetStats{{Name: "a", Sat: 1, Classes: map[string]uint64{"ok": 4, "crash": 2}, Wall: 2.5, Latency: Histogram{1, 2}}, {Name: "b", Sat: 5}}}
	get := func(name string) []Sample {
		for _, m := range Metrics() {
			if m.Name == name {
				return m.Samples(&s)
			}
		}
		t.Fatal(name)
		return nil
	}
	require.Equal(t, []Sample{{Value: 7}}, get("cases"))
	require.Equal(t, []Sample{{Labels: []string{"a"}, Value: 1}, {Labels: []string{"b"}, Value: 5}}, get("targets.sat"))
	require.Equal(t, []Sample{{Labels: []string{"a", "crash"}, Value: 2}, {Labels: []string{"a", "ok"}, Value: 4}}, get("targets.classes"))
	require.Equal(t, Sample{Labels: []string{"a"}, Value: 2.5, Histogram: Histogram{1, 2}}, get("targets.latency")[0])
	require.Empty(t, get("techniques.cases"))
}

func TestHistogram(t *testing.T) {
	var h Histogram
	require.Zero(t, h.Quantile(0.5))
	for _, tc := range []struct {
		d time.Duration
		i int
	}{{0, 0}, {time.Millisecond, 0}, {time.Millisecond + 1, 1}, {2 * time.Millisecond, 1}, {3 * time.Millisecond, 2}, {65536 * time.Millisecond, 16}, {65537 * time.Millisecond, 17}, {time.Hour, 17}} {
		before := append(Histogram{}, h...)
		h.add(tc.d)
		for i := range h {
			was := uint64(0)
			if i < len(before) {
				was = before[i]
			}
			want := was
			if i == tc.i {
				want++
			}
			require.Equal(t, want, h[i], "%v in element %d", tc.d, i)
		}
	}
	require.Equal(t, uint64(8), h.Total())
	require.Equal(t, 0.001, h.Quantile(0.25))
	require.Equal(t, 0.002, h.Quantile(0.5))
	require.Equal(t, 65.536, h.Quantile(1), "the last element has no bound of its own")
}

func TestYields(t *testing.T) {
	s := Stats{Progress: Progress{Technique: "mix"}}
	s.AddCase(CaseMade{Seconds: 2, Verdicts: 2})
	s.AddCase(CaseMade{Technique: "fusion", Steps: []string{"swap", "drop"}, Repeat: true})
	s.AddCase(CaseMade{Technique: "fusion", Steps: []string{"swap"}})
	s.AddFound(&testcase.Origin{Technique: "fusion", Steps: []string{"swap(x, y)", "swap(y, z)", "wrap: deep", "= -> distinct", ""}}, 2.5)
	require.Equal(t, []TechniqueStats{{Name: "mix", Cases: 1, Verdicts: 2, MakeTime: 2}, {Name: "fusion", Cases: 2, Repeats: 1, Findings: 1, Last: 2.5}}, s.Techniques)
	require.Equal(t, FindingStats{New: 1, Last: 2.5}, s.Findings)
	require.Equal(t, 2.5, s.LastFound("fusion"))
	require.Zero(t, s.LastFound("mix"), "it found nothing")
	require.Zero(t, s.LastFound("nobody"))
	require.Equal(t, []TechniqueStats{{Name: "swap", Cases: 2, Repeats: 1, Findings: 1, Last: 2.5}, {Name: "drop", Cases: 1, Repeats: 1}, {Name: "wrap", Findings: 1, Last: 2.5}, {Name: "=", Findings: 1, Last: 2.5}}, s.Steps)
	for i := range 2 * maxTechniques {
		s.AddCase(CaseMade{Technique: fmt.Sprint("t", i)})
	}
	require.LessOrEqual(t, len(s.Techniques), maxTechniques+1)
	require.Equal(t, manyNames, s.Techniques[len(s.Techniques)-1].Name)
}

func TestHealth(t *testing.T) {
	good := func(name string) TargetStats {
		return TargetStats{Name: name, Runs: 1000, Asked: 1000, Sat: 900, Checks: 1000, Decided: 0.9, Wall: 10, Classes: map[string]uint64{"ok": 1000}}
	}
	bad := func(change func(*TargetStats)) TargetStats {
		b := good("bad")
		change(&b)
		return b
	}
	for want, tc := range map[string]TargetStats{
		"bad rejects 6 % of the cases":         bad(func(b *TargetStats) { b.Classes = map[string]uint64{"ok": 940, "parse-error": 60} }),
		"bad starves: it takes the logic of 3": bad(func(b *TargetStats) { b.Asked, b.Classes = 3, map[string]uint64{"ok": 3, "unsupported": 997} }),
		"bad declines 60 % of the cases":       bad(func(b *TargetStats) { b.Asked, b.Classes = 400, map[string]uint64{"ok": 400, "unsupported": 600} }),
		"bad declines 99 % of the cases": bad(func(b *TargetStats) {
			b.Asked, b.Sat, b.Decided, b.Classes = 990, 0, 0, map[string]uint64{"ok": 10, "unsupported": 10, "refusal": 980}
		}),
		"bad times out on 70 %":               bad(func(b *TargetStats) { b.Classes = map[string]uint64{"ok": 300, "timeout": 700} }),
		"bad answers nothing but unknown":     bad(func(b *TargetStats) { b.Sat, b.Unknown, b.Decided = 0, 900, 0 }),
		"bad decides 2.0 % of the check-sats": bad(func(b *TargetStats) { b.Sat, b.Unknown, b.Decided = 20, 980, 0.02 }),
		"bad takes 83 % of the time":          bad(func(b *TargetStats) { b.Wall = 100 }),
		"bad cannot be started":               bad(func(b *TargetStats) { b.Asked, b.Classes = 0, map[string]uint64{"start-failure": 1000} }),
	} {
		s := Stats{Targets: []TargetStats{good("a"), good("b"), tc}}
		h := s.Warnings()
		require.Len(t, h, 1, "%s: %v", want, h)
		require.Contains(t, h[0], want)
	}
	require.Empty(t, (&Stats{Targets: []TargetStats{good("a"), good("b")}, Techniques: []TechniqueStats{{Name: "t", Cases: 1000, Repeats: 500}}}).Warnings())
	s := Stats{Steps: []TechniqueStats{{Name: "noop", Cases: 100, Repeats: 98}, {Name: "rare", Cases: 99, Repeats: 99}}}
	require.Equal(t, []string{"mutator noop makes the same cases again: 98 % of its cases were there before; more seeds, or more kinds of changes, make new ones"}, s.Warnings())
	s.Techniques = []TechniqueStats{{Name: "mutate.rounds(noop)", Cases: 100, Repeats: 98}}
	require.Len(t, s.Warnings(), 1, "once, not for the technique and for its only mutator")
}

func TestPointsAreFew(t *testing.T) {
	n, at := 0, 0.0
	for at < 24*3600 {
		next := NextPoint(at)
		require.GreaterOrEqual(t, next-at, 1.0)
		require.LessOrEqual(t, next-at, max(1, at/100))
		at = next
		n++
	}
	require.Less(t, n, 2000)
}

// TestPointsHaveNoLists makes a point of full statistics, and brings older ones up to it.
func TestPointsHaveNoLists(t *testing.T) {
	full := Stats{
		Progress:  Progress{Elapsed: 20, State: StateRunning},
		CaseStats: CaseStats{Cases: 7, ErrorList: []string{"e"}, KilledList: []KilledCase{{Number: 3}}},
		Targets:   []TargetStats{{Name: "z3", Runs: 7}},
		Findings:  FindingStats{New: 2, List: []FindingLine{{Number: 1}}},
		Workers:   WorkerStats{Alive: 4, Deaths: []string{"d"}},
		Edges:     []EdgeStats{{Name: "z3", Edges: 9, Files: []FileStats{{Name: "f"}}}},
		Health:    []string{"h"},
		SeedStats: SeedStats{Seeds: 5, Broken: []finding.BrokenSeed{{File: "b"}}},
	}
	p := full.Point()
	require.Equal(t, &Stats{
		Progress: full.Progress, CaseStats: CaseStats{Cases: 7}, Targets: full.Targets, Findings: FindingStats{New: 2},
		Workers: WorkerStats{Alive: 4}, Edges: []EdgeStats{{Name: "z3", Edges: 9}}, SeedStats: SeedStats{Seeds: 5},
	}, p)
	require.Equal(t, []FileStats{{Name: "f"}}, full.Edges[0].Files)

	older := Stats{Progress: Progress{Elapsed: 10}, CaseStats: CaseStats{Cases: 4, ErrorList: []string{"e"}}, Health: []string{"h"}}
	older.CatchUp(p)
	require.Equal(t, uint64(7), older.Cases)
	require.Equal(t, []string{"e"}, older.ErrorList)
	require.Equal(t, []string{"h"}, older.Health)
	require.Equal(t, uint64(7), older.Targets[0].Runs)
	older.CatchUp(&Stats{Progress: Progress{Elapsed: 5}})
	require.Equal(t, 20.0, older.Elapsed, "an earlier point changes nothing")
}
