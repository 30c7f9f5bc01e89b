// Package metrics counts what a campaign does: cases, runs, findings and CPU time, for the whole, by target, by
// technique and by what cases ask about. A field of Stats is declared once, by its tags: they make the help, the
// exposition and the schema.
package metrics
