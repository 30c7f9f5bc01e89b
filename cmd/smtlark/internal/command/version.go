package command

import "runtime/debug"

// Version is the module's version, or the commit it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	revision, changed := RevisionOf(info)
	switch {
	case revision == "":
		return "devel"
	case changed:
		return revision + "+changes"
	}
	return revision
}

// RevisionOf returns the start of the commit's hash, and whether files were changed.
func RevisionOf(info *debug.BuildInfo) (revision string, changed bool) {
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = true
		}
	}
	return revision, changed
}
