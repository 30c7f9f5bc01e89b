// Package folder is the folder of a finding, as people read it: which files it has (FilesOf), finding.json (Record),
// README.md with the report for the tracker of the solver, repro.star and repro.sh that show the finding again, and the
// way back (ReadFinding). It does not access the database: callers pass the status and history of a finding as a
// Lifecycle.
package folder
