package driver

const (
	libcName     = "/usr/lib/libSystem.B.dylib"
	Extension    = ".dylib"
	PathVariable = "DYLD_LIBRARY_PATH" // folders in which the dynamic loader looks first
)

// LibraryPatterns are the file names that a library may have.
func LibraryPatterns(name string) []string {
	return []string{name + ".dylib", name + "-[0-9]*.dylib", name + ".[0-9]*.dylib"}
}

// SystemPlaces are the folders of libraries of the system and of Homebrew.
func SystemPlaces() []string { return []string{"/opt/homebrew/lib", "/usr/local/lib", "/usr/lib"} }
