package registry

// FileReader reads files for builtins: only below the campaign's folders (the project's root, and folders the user named on
// the command line). Names in scripts are separated by "/" and relative to the folder of the campaign file; "//name"
// starts at the project's root; absolute names work inside the campaign's folders.
type FileReader interface {
	// Read returns the content of a file.
	Read(name string) ([]byte, error)
	// List returns the regular files that a pattern stands for, sorted: a file, a
	// folder (everything below it), or a pattern with *, ?, [...] within a name and **
	// for any number of folders. Read takes the names it returns. others are pipes,
	// devices and links out of the folders: Read says what is wrong with them.
	List(pattern string) (names, others []string, err error)
	// Path returns the absolute path behind a name, for messages and for solvers.
	Path(name string) (string, error)
	// Root returns the absolute folder that "//" stands for.
	Root() string
}

// ForSeeds returns files for reading seeds by: what a campaign starts from is no part of the campaign file, and is not
// kept with it.
func ForSeeds(f FileReader) FileReader {
	if s, ok := f.(interface{ ForSeeds() FileReader }); ok {
		return s.ForSeeds()
	}
	return f
}

// FilesKey is the slot of the campaign's files; package script fills it.
var FilesKey = NewKey[FileReader]("the file system", "this thread was not made by an interpreter")

// AddContext adds a line below the message of a script's error: which case it was and
// how to replay it. Errors that take none are returned as they are.
func AddContext(err error, line string) error {
	if e, ok := err.(interface{ AddContext(string) error }); ok {
		return e.AddContext(line)
	}
	return err
}
