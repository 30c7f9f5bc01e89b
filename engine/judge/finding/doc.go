// Package finding has the record of a finding: its verdict, its cases and runs, its later history, and the plan and the
// options of the campaign that found it. Campaigns make it, stores keep it, reports show it; no other package describes
// a finding.
package finding
