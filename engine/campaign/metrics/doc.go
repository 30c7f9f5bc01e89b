// Package metrics counts the cases, runs, findings and CPU time of a campaign: in total, by target, by technique and by
// the features that cases ask about. A field of Stats is declared once, by its tags: they make the help, the exposition
// and the schema.
package metrics
