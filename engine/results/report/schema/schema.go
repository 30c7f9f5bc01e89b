// Package schema describes the files that smtlark writes for other programs, as JSON schemas made of the types that are written.
package schema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/campaign"
	"github.com/smtlark/smtlark/engine/campaign/metrics"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/engine/judge/triage"
	"github.com/smtlark/smtlark/engine/results/report"
)

// Published is a JSON schema that is published in docs/schema.
type Published struct {
	Path string // from the root of the repository
	Data []byte
}

// object is a JSON object whose keys are written sorted.
type object = map[string]any

// field is a field of an event; optional ones have a name that ends in "?".
type field struct {
	name string
	typ  reflect.Type
	help string
}

func typed[T any](name, help string) field { return field{name, reflect.TypeFor[T](), help} }

// events describes every event of events.jsonl; each has also time and event.
var events = map[string]struct {
	help   string
	fields []field
}{
	"start": {"The campaign was loaded.", []field{
		typed[finding.Plan]("plan", "what the campaign file came to"), typed[finding.Options]("options", "how it was started"), typed[int]("workers", "worker processes"),
	}},
	"verdict": {"The first verdict of a signature, before it is confirmed.", []field{
		typed[uint64]("n", "number of the case"), typed[triage.Signature]("signature", "verdicts with the same key are the same finding"), typed[string]("summary", "one line"),
	}},
	"finding": {"A verdict reproduced and is stored.", []field{
		typed[int]("number", "of the finding"), typed[string]("dir", "its folder"), typed[string]("kind", "of the finding"), typed[string]("summary", "one line"),
		typed[triage.Signature]("signature", "of its verdict"), typed[int]("hits", "how often it reproduced"), typed[int]("tries", "how often that was tried"),
		typed[string]("mode", "fresh, or own: in the modes of the campaign only"), typed[uint64]("n", "number of the case"),
	}},
	"flaky": {"A verdict did not reproduce.", []field{
		typed[int]("number", "flaky ones are numbered on their own"), typed[string]("dir", "its folder"), typed[string]("summary", "one line"),
		typed[triage.Signature]("signature", "of its verdict"), typed[int]("tries", "how often it was tried"), typed[uint64]("n", "number of the case"),
	}},
	"known": {"A finding of an earlier run was seen again.", []field{
		typed[uint64]("n", "number of the case"), typed[int]("number", "of the finding"), typed[string]("summary", "one line"),
		typed[triage.Signature]("signature?", "of its verdict"),
	}},
	"recheck": {"A finding of an earlier run was looked at again.", []field{
		typed[int]("number", "of the finding"), typed[[]finding.Check]("checks?", "what versions of the solver did"), typed[string]("status?", "when it changed, in words"),
		typed[string]("error?", "why that could not be done"),
	}},
	"progress": {"The state at one moment: every second at first, rarer later. Counts are those since the beginning.", []field{
		typed[metrics.Stats]("stats", "as in stats.json, without what is listed of single cases, operators, options and files"),
	}},
	"weights": {"The parts of a mixture that adapts have new weights.", []field{
		typed[uint64]("epoch", "counted from 0"), typed[uint64]("first_case", "of the epoch"), typed[uint64]("cases", "of the epoch"),
		typed[[]uint32]("weights", "of the parts, in their order, and behind them how many cases each had before"),
	}},
	"edges": {"A case took edges of a solver that no case before had taken.", []field{
		typed[uint64]("n", "number of the case"), typed[string]("solver", "that counts its edges"), typed[string]("technique", "that made the case, empty for that of the campaign"),
		typed[int]("new", "edges that are new"), typed[int]("edges", "edges taken so far"), typed[float64]("elapsed", "run time"),
	}},
	"reduced": {"The reduction of a finding ended.", []field{
		typed[int]("number", "of the finding"), typed[int]("from", "bytes"), typed[int]("to", "bytes"), typed[int]("tests", "runs of the property"),
		typed[string]("reason", "why it ended early, or empty"),
	}},
	"joined": {"A finding became a duplicate of one that was reduced to fewer of the same operators.", []field{
		typed[int]("number", "of the duplicate"), typed[int]("to", "of the other one"), typed[string]("reason", "what they have in common"),
	}},
	"worker-death": {"A worker process died.", []field{
		typed[int]("worker", "its number"), typed[int]("pid", "its process"), typed[string]("reason", "how it died"), typed[string]("job?", "what it did"),
		typed[uint64]("case?", "number of the case it was running"),
	}},
	"case-killed": {"A case killed its worker twice.", []field{
		typed[uint64]("n", "number of the case"), typed[string]("reason", "how the worker died"), typed[string]("replay", "command that runs the case again"),
	}},
	"confirm-lost": {"Two workers died confirming a verdict.", []field{typed[triage.Signature]("signature", "of the verdict"), typed[string]("reason", "how the worker died")}},
	"protocol-error": {"A worker wrote what no worker should.", []field{
		typed[int]("worker", "its number"), typed[string]("error", "what"),
	}},
	"load-error": {"A worker could not load the campaign.", []field{typed[int]("worker", "its number"), typed[string]("error", "why")}},
	"error": {"The campaign file or smtlark failed on a case.", []field{
		typed[uint64]("n", "number of the case"), typed[campaign.Fault]("fault", "whose"), typed[string]("error", "what"),
	}},
	"broken-seed": {"A seed cannot be used.", []field{typed[string]("file", "the seed"), typed[string]("error", "why")}},
	"stop":        {"No new cases from here on.", []field{typed[string]("reason", "why")}},
	"end":         {"The campaign is over.", []field{typed[uint64]("cases", "made, run and judged"), typed[int]("new", "findings"), typed[int]("flaky", "findings that did not reproduce")}},
}

// All returns the schemas of all files and outputs with a published format, made of the types that are written.
func All() []Published {
	return []Published{
		schemaFile("stats", "stats.json of a run of smtlark", "Replaced every ten seconds and at the end. Times are in seconds. Every case is counted once: in cases, skipped, killed or errors.",
			func(d *definitions) object { return d.of(reflect.TypeFor[metrics.Stats]()) }),
		schemaFile("event", "A line of events.jsonl of a run of smtlark", "Each line is an object; which fields it has depends on event.", eventSchema),
		schemaFile("report", "smtlark report --format json", "All that is known about a run and its findings.", func(d *definitions) object { return d.of(reflect.TypeFor[report.Data]()) }),
		schemaFile("compare", "smtlark compare --format json", "Two runs side by side.", func(d *definitions) object { return d.of(reflect.TypeFor[report.Comparison]()) }),
	}
}

func schemaFile(name, title, about string, body func(*definitions) object) Published {
	d := &definitions{defs: object{}, types: map[string]reflect.Type{}}
	o := body(d)
	if ref, ok := o["$ref"].(string); ok { // the outermost type stands at the top
		key := strings.TrimPrefix(ref, "#/$defs/")
		o = d.defs[key].(object)
		delete(d.defs, key)
	}
	top := object{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": about}
	maps.Copy(top, o)
	top["description"] = about
	if len(d.defs) > 0 {
		top["$defs"] = d.defs
	}
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // maps and strings
	}
	return Published{"docs/schema/" + name + ".json", append(text, '\n')}
}

// definitions collects the schemas of named types.
type definitions struct {
	defs  object
	types map[string]reflect.Type
}

// of returns the schema of a type as encoding/json writes it.
func (d *definitions) of(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[metrics.Histogram]():
		return object{
			"type": "array", "items": object{"type": "integer", "minimum": 0}, "maxItems": 18,
			"description": "Element i counts durations of at most 2^i milliseconds that are longer than the element before allows, the 18th all that are longer than 65.536 s. Zeros at the end are left out.",
		}
	case t == reflect.TypeFor[oracle.Verdict]():
		return d.of(reflect.TypeFor[oracle.NamedVerdict]())
	case t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Slice:
		return object{"type": []string{"array", "null"}, "items": d.of(t.Elem())}
	case reflect.Map:
		return object{"type": []string{"object", "null"}, "additionalProperties": d.of(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	}
	return object{}
}

// structure defines a struct and refers to it.
func (d *definitions) structure(t reflect.Type) object {
	name := strings.ToLower(t.Name()[:1]) + t.Name()[1:]
	ref := object{"$ref": "#/$defs/" + name}
	if other := d.types[name]; other != nil && other != t {
		panic("schema: two types are named " + name)
	}
	d.types[name] = t
	if d.defs[name] != nil {
		return ref
	}
	def := object{"type": "object"}
	d.defs[name] = def
	props, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		tag, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && tag == "" { // JSON shows the fields of what is embedded
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		p := d.of(f.Type)
		if f.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omitempty") {
			p = object{"anyOf": []any{p, object{"type": "null"}}}
		}
		if help := f.Tag.Get("help"); help != "" {
			p = described(p, help, f.Tag.Get("unit"))
		}
		props[tag] = p
		if !strings.Contains(rest, "omitempty") && !strings.Contains(rest, "omitzero") {
			required = append(required, tag)
		}
	}
	slices.Sort(required)
	def["properties"], def["required"] = props, required
	return ref
}

// units in words.
var units = map[string]string{"s": "seconds", "/s": "per second", "share": "from 0 to 1"}

func described(p object, help, unit string) object {
	p = maps.Clone(p)
	if u := units[unit]; u != "" {
		help += " (" + u + ")"
	}
	if more, ok := p["description"].(string); ok {
		help += ". " + more
	}
	p["description"] = help
	return p
}

// eventSchema is the schema of a line of events.jsonl: one of the events.
func eventSchema(d *definitions) object {
	var all []any
	add := func(name, help string, props object, required []string) {
		props["time"] = object{"type": "string", "format": "date-time", "description": "when it happened"}
		props["event"] = object{"const": name}
		required = append(required, "time", "event")
		slices.Sort(required)
		all = append(all, object{"title": name, "description": help, "type": "object", "properties": props, "required": required})
	}
	for _, name := range slices.Sorted(maps.Keys(events)) {
		e := events[name]
		props, required := object{}, []string{}
		for _, f := range e.fields {
			key, optional := strings.CutSuffix(f.name, "?")
			props[key] = described(d.of(f.typ), f.help, "")
			if !optional {
				required = append(required, key)
			}
		}
		add(name, e.help, props, required)
	}
	return object{"oneOf": all}
}
