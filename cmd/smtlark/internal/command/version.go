package command

import (
	"runtime/debug"
	"strings"
)

// Version is the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	switch r := RevisionOf(info); {
	case r.Commit == "":
		return "devel"
	case r.Changed:
		return r.Commit + "+changes"
	default:
		return r.Commit
	}
}

// Revision describes the commit that a program was built from, as far as the build knows it.
type Revision struct {
	Commit  string // the start of its hash; "": not known
	Day     string // as 2006-01-02; "": not known
	Changed bool   // files were changed
}

// RevisionOf returns the revision of a build.
func RevisionOf(info *debug.BuildInfo) (r Revision) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Commit = s.Value[:min(12, len(s.Value))]
		case "vcs.time":
			r.Day, _, _ = strings.Cut(s.Value, "T") // RFC 3339
		case "vcs.modified":
			r.Changed = s.Value == "true"
		}
	}
	return r
}
