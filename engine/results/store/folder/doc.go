// Package folder is the folder of a finding, as people read it: which files it has (FilesOf), finding.json (Record),
// README.md with the report for the tracker of the solver, repro.star and repro.sh that show the finding again, and the
// way back (ReadFinding). It knows no database: what the store knows beside the finding comes as a Lifecycle.
package folder
