// Package finding has the record of a finding: its verdict, its cases and runs, what became of it, and the plan and the
// options of the campaign that found it. Campaigns make it, stores keep it, reports tell it; no other package describes
// a finding.
package finding
