// Package store keeps findings and the history of campaigns in a database and in human-readable folders.
//
//	smtlark.db                 the truth; see schema
//	findings/NNNN-slug/        a finding that reproduced; see package folder
//	findings/flaky/NNNN-slug/  a verdict that was seen once and never again
//	runs/CAMPAIGN/TIME/        events.jsonl and stats.json of one run; see RunLog
//
// A campaign writes by way of a Store (Open). Code that only reads, such as reports, uses a Reader:
//
//	r, err := store.OpenReader(out)      // the folder that --out names
//	records, err := r.Findings()         // []*folder.Record: finding.json with status, history, checks; Record.Path is the folder
//	f, record, err := r.Finding("7")     // *finding.Finding: with the texts of the cases and all runs
//	run, err := store.ReadRun(dir)       // *RunRecord: Campaign, Started, Dir, Stats (the latest)
//
// Writes are atomic: the database uses transactions; folders and files are created under another name and renamed
// (package durable). Several campaigns may use one folder at the same time.
package store
