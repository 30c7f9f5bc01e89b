package report

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
)

// Schema is a JSON schema that is published in docs/schema.
type Schema struct {
	Path string // from the root of the repository
	Data []byte
}

// jsonObject is a JSON object whose keys are written sorted.
type jsonObject = map[string]any

// eventField is a field of an event; optional ones have a name that ends in "?".
type eventField struct {
	name string
	typ  reflect.Type
	help string
}

func typedField[T any](name, help string) eventField {
	return eventField{name, reflect.TypeFor[T](), help}
}

// eventFields describes every event of events.jsonl; each has also time and event.
var eventFields = map[string]struct {
	help   string
	fields []eventField
}{
	"start": {"The campaign was loaded.", []eventField{
		typedField[finding.Plan]("plan", "what the campaign file came to"), typedField[finding.Inputs]("options", "how it was started"), typedField[int]("workers", "worker processes"),
	}},
	"verdict": {"The first verdict of a signature, before it is confirmed.", []eventField{
		typedField[uint64]("n", "number of the case"), typedField[triage.Signature]("signature", "verdicts with the same key are the same finding"), typedField[string]("summary", "one line"),
	}},
	"finding": {"A verdict reproduced and is stored.", []eventField{
		typedField[int]("number", "of the finding"), typedField[string]("dir", "its folder"), typedField[string]("kind", "of the finding"), typedField[string]("summary", "one line"),
		typedField[triage.Signature]("signature", "of its verdict"), typedField[int]("hits", "how often it reproduced"), typedField[int]("tries", "how often that was tried"),
		typedField[string]("mode", "fresh, or own: in the modes of the campaign only"), typedField[uint64]("n", "number of the case"),
	}},
	"flaky": {"A verdict did not reproduce.", []eventField{
		typedField[int]("number", "flaky ones are numbered on their own"), typedField[string]("dir", "its folder"), typedField[string]("summary", "one line"),
		typedField[triage.Signature]("signature", "of its verdict"), typedField[int]("tries", "how often it was tried"), typedField[uint64]("n", "number of the case"),
	}},
	"known": {"A finding of an earlier run was seen again.", []eventField{
		typedField[uint64]("n", "number of the case"), typedField[int]("number", "of the finding"), typedField[string]("summary", "one line"),
		typedField[triage.Signature]("signature?", "of its verdict"),
	}},
	"recheck": {"A finding of an earlier run was looked at again.", []eventField{
		typedField[int]("number", "of the finding"), typedField[[]finding.Check]("checks?", "what versions of the solver did"), typedField[string]("status?", "when it changed, in words"),
		typedField[string]("error?", "why that could not be done"),
	}},
	"progress": {"The state at one moment: every second at first, rarer later. Counts are those since the beginning.", []eventField{
		typedField[metrics.Stats]("stats", "as in stats.json, without what is listed of single cases, operators, options and files"),
	}},
	"weights": {"The parts of a mixture that adapts have new weights.", []eventField{
		typedField[uint64]("epoch", "counted from 0"), typedField[uint64]("first_case", "of the epoch"), typedField[uint64]("cases", "of the epoch"),
		typedField[[]uint32]("weights", "of the parts, in their order, and behind them how many cases each had before"),
	}},
	"edges": {"A case took edges of a solver that no case before had taken.", []eventField{
		typedField[uint64]("n", "number of the case"), typedField[string]("solver", "that counts its edges"), typedField[string]("technique", "that made the case, empty for that of the campaign"),
		typedField[int]("new", "edges that are new"), typedField[int]("edges", "edges taken so far"), typedField[float64]("elapsed", "run time"),
	}},
	"reduced": {"The reduction of a finding ended.", []eventField{
		typedField[int]("number", "of the finding"), typedField[int]("from", "bytes"), typedField[int]("to", "bytes"), typedField[int]("tests", "runs of the property"),
		typedField[string]("reason", "why it ended early, or empty"),
	}},
	"joined": {"A finding became a duplicate of one that was reduced to fewer of the same operators.", []eventField{
		typedField[int]("number", "of the duplicate"), typedField[int]("to", "of the other one"), typedField[string]("reason", "what they have in common"),
	}},
	"worker-death": {"A worker process died.", []eventField{
		typedField[int]("worker", "its number"), typedField[int]("pid", "its process"), typedField[string]("reason", "how it died"), typedField[string]("job?", "what it did"),
		typedField[uint64]("case?", "number of the case it was running"),
	}},
	"case-killed": {"A case killed its worker twice.", []eventField{
		typedField[uint64]("n", "number of the case"), typedField[string]("reason", "how the worker died"), typedField[string]("replay", "command that runs the case again"),
	}},
	"confirm-lost": {"Two workers died confirming a verdict.", []eventField{typedField[triage.Signature]("signature", "of the verdict"), typedField[string]("reason", "how the worker died")}},
	"protocol-error": {"A worker wrote what no worker should.", []eventField{
		typedField[int]("worker", "its number"), typedField[string]("error", "what"),
	}},
	"load-error": {"A worker could not load the campaign.", []eventField{typedField[int]("worker", "its number"), typedField[string]("error", "why")}},
	"error": {"The campaign file or smtlark failed on a case.", []eventField{
		typedField[uint64]("n", "number of the case"), typedField[campaign.Blame]("fault", "whose"), typedField[string]("error", "what"),
	}},
	"broken-seed": {"A seed cannot be used.", []eventField{typedField[string]("file", "the seed"), typedField[string]("error", "why")}},
	"stop":        {"No new cases from here on.", []eventField{typedField[string]("reason", "why")}},
	"end":         {"The campaign is over.", []eventField{typedField[uint64]("cases", "made, run and judged"), typedField[int]("new", "findings"), typedField[int]("flaky", "findings that did not reproduce")}},
}

// Schemas returns the schemas of all files and outputs with a published format, made of the types that are written.
func Schemas() []Schema {
	return []Schema{
		schemaFile("stats", "stats.json of a run of smtlark", "Replaced every ten seconds and at the end. Times are in seconds. Every case is counted once: in cases, skipped, killed or errors.",
			func(d *definitions) jsonObject { return d.of(reflect.TypeFor[metrics.Stats]()) }),
		schemaFile("event", "A line of events.jsonl of a run of smtlark", "Each line is an object; which fields it has depends on event.", eventSchema),
		schemaFile("report", "smtlark report --format json", "All that is known about a run and its findings.", func(d *definitions) jsonObject { return d.of(reflect.TypeFor[Data]()) }),
		schemaFile("compare", "smtlark compare --format json", "Two runs side by side.", func(d *definitions) jsonObject { return d.of(reflect.TypeFor[Comparison]()) }),
	}
}

func schemaFile(name, title, about string, body func(*definitions) jsonObject) Schema {
	d := &definitions{defs: jsonObject{}, types: map[string]reflect.Type{}}
	o := body(d)
	if ref, ok := o["$ref"].(string); ok { // the outermost type stands at the top
		key := strings.TrimPrefix(ref, "#/$defs/")
		o = d.defs[key].(jsonObject)
		delete(d.defs, key)
	}
	top := jsonObject{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "description": about}
	maps.Copy(top, o)
	top["description"] = about
	if len(d.defs) > 0 {
		top["$defs"] = d.defs
	}
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // maps and strings
	}
	return Schema{"docs/schema/" + name + ".json", append(text, '\n')}
}

// definitions collects the schemas of named types.
type definitions struct {
	defs  jsonObject
	types map[string]reflect.Type
}

// of returns the schema of a type as encoding/json writes it.
func (d *definitions) of(t reflect.Type) jsonObject {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return jsonObject{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[metrics.Histogram]():
		return jsonObject{
			"type": "array", "items": jsonObject{"type": "integer", "minimum": 0}, "maxItems": 18,
			"description": "Element i counts durations of at most 2^i milliseconds that are longer than the element before allows, the 18th all that are longer than 65.536 s. Zeros at the end are left out.",
		}
	case t == reflect.TypeFor[oracle.Verdict]():
		return d.of(reflect.TypeFor[oracle.NamedVerdict]())
	case t.Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]()):
		return jsonObject{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.Slice:
		return jsonObject{"type": []string{"array", "null"}, "items": d.of(t.Elem())}
	case reflect.Map:
		return jsonObject{"type": []string{"object", "null"}, "additionalProperties": d.of(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	case reflect.String:
		return jsonObject{"type": "string"}
	case reflect.Bool:
		return jsonObject{"type": "boolean"}
	case reflect.Float64:
		return jsonObject{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return jsonObject{"type": "integer", "minimum": 0}
	case reflect.Int, reflect.Int64:
		return jsonObject{"type": "integer"}
	}
	return jsonObject{}
}

// structure defines a struct and refers to it.
func (d *definitions) structure(t reflect.Type) jsonObject {
	name := strings.ToLower(t.Name()[:1]) + t.Name()[1:]
	ref := jsonObject{"$ref": "#/$defs/" + name}
	if other := d.types[name]; other != nil && other != t {
		panic("schema: two types are named " + name)
	}
	d.types[name] = t
	if d.defs[name] != nil {
		return ref
	}
	def := jsonObject{"type": "object"}
	d.defs[name] = def
	props, required := jsonObject{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		tag, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() || f.Anonymous && tag == "" { // JSON inlines the fields of an embedded struct
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		p := d.of(f.Type)
		if f.Type.Kind() == reflect.Pointer && !strings.Contains(rest, "omitempty") {
			p = jsonObject{"anyOf": []any{p, jsonObject{"type": "null"}}}
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

func described(p jsonObject, help, unit string) jsonObject {
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
func eventSchema(d *definitions) jsonObject {
	var all []any
	add := func(name, help string, props jsonObject, required []string) {
		props["time"] = jsonObject{"type": "string", "format": "date-time", "description": "when it happened"}
		props["event"] = jsonObject{"const": name}
		required = append(required, "time", "event")
		slices.Sort(required)
		all = append(all, jsonObject{"title": name, "description": help, "type": "object", "properties": props, "required": required})
	}
	for _, name := range slices.Sorted(maps.Keys(eventFields)) {
		e := eventFields[name]
		props, required := jsonObject{}, []string{}
		for _, f := range e.fields {
			key, optional := strings.CutSuffix(f.name, "?")
			props[key] = described(d.of(f.typ), f.help, "")
			if !optional {
				required = append(required, key)
			}
		}
		add(name, e.help, props, required)
	}
	return jsonObject{"oneOf": all}
}
