package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/smtlark/smtlark/engine/ground/display"
)

// The part of SARIF 2.1.0 (OASIS standard, 27 March 2020) that a report needs. Names are those of the standard.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool                `json:"tool"`
		Invocations []sarifInvocation        `json:"invocations,omitempty"`
		BaseIDs     map[string]sarifArtifact `json:"originalUriBaseIds,omitempty"`
		ColumnKind  string                   `json:"columnKind"`
		Results     []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		URI     string      `json:"informationUri"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Name    string       `json:"name"`
		Short   sarifMessage `json:"shortDescription"`
		Default sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful bool   `json:"executionSuccessful"`
		Start      string `json:"startTimeUtc,omitempty"`
		End        string `json:"endTimeUtc,omitempty"`
	}
	sarifArtifact struct {
		URI         string        `json:"uri,omitempty"`
		Base        string        `json:"uriBaseId,omitempty"`
		Description *sarifMessage `json:"description,omitempty"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Count        int               `json:"occurrenceCount,omitempty"`
		Suppressions []sarifSuppressed `json:"suppressions,omitempty"`
		Properties   map[string]any    `json:"properties,omitempty"`
	}
	sarifSuppressed struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// Links of a SARIF log.
const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage    = "https://github.com/smtlark/smtlark"
	// fingerprint names the signature; the number grows when signatures are made in another way.
	fingerprint = "smtlarkSignature/v1"
	baseID      = "FINDINGS"
)

// SARIF writes the findings as a SARIF 2.1.0 log: a result for each finding, its rule the kind of finding, its location
// the file that shows it, its fingerprint the signature. Flaky findings are notes.
func SARIF(w io.Writer, d *Data) error {
	name, version, _ := strings.Cut(d.Tool, " ")
	run := sarifRun{
		Tool:    sarifTool{sarifDriver{Name: name, Version: version, URI: homepage, Rules: []sarifRule{}}},
		BaseIDs: map[string]sarifArtifact{baseID: {Description: &sarifMessage{"the folder that --out named"}}}, ColumnKind: "unicodeCodePoints",
		Results: []sarifResult{},
	}
	if d.Run != nil {
		inv := sarifInvocation{Successful: d.Run.Stats.Internal == 0}
		inv.Start, inv.End = utc(d.Run.Stats.Started), utc(d.Run.Stats.Updated)
		run.Invocations = []sarifInvocation{inv}
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		id := display.Text(f.Verdict.Kind)
		rule := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == id })
		if rule < 0 {
			k := kind(id)
			rule = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{k.id, k.name, sarifMessage{k.text}, sarifLevel{"error"}})
		}
		r := sarifResult{
			RuleID: id, RuleIndex: rule, Level: "error", Message: sarifMessage{display.Text(f.Verdict.Summary)}, Count: max(1, f.Count),
			Fingerprints: map[string]string{fingerprint: f.Signature.Key},
			Locations:    []sarifLocation{{sarifPhysical{sarifArtifact{URI: (&url.URL{Path: f.Folder + "/" + f.File}).EscapedPath(), Base: baseID}, sarifRegion{1}}}},
			Properties:   map[string]any{"status": display.Text(f.StatusWords()), "reproduced": fmt.Sprintf("%d of %d", f.Hits, f.Tries), "replay": display.Text(f.Replay)},
		}
		// A finding that was seen once and never again is no reason to fail a build.
		if f.Flaky {
			r.Level = "note"
		}
		// Dismissed findings stay in the file, suppressed: left out, they would count as repaired.
		if f.IsDismissed() {
			r.Suppressions = []sarifSuppressed{{"external", display.Text(f.StatusWords())}}
		}
		if f.Reported != "" {
			r.Properties["reported"] = display.Text(f.Reported)
		}
		if len(f.wrong()) > 0 {
			r.Properties["targets"] = display.Text(strings.Join(f.wrong(), ", "))
		}
		run.Results = append(run.Results, r)
	}
	enc := json.NewEncoder(display.JSONWriter(w))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// utc writes a time as SARIF wants it; "" for none.
func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
