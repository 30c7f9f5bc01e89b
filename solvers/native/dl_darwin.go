package native

const (
	libcName     = "/usr/lib/libSystem.B.dylib"
	extension    = ".dylib"
	pathVariable = "DYLD_LIBRARY_PATH" // folders in which the dynamic loader looks first
)

// libraryPatterns are the file names that a library may have.
func libraryPatterns(name string) []string {
	return []string{name + ".dylib", name + "-[0-9]*.dylib", name + ".[0-9]*.dylib"}
}

// systemPlaces are the folders of libraries of the system and of Homebrew.
func systemPlaces() []string { return []string{"/opt/homebrew/lib", "/usr/local/lib", "/usr/lib"} }
