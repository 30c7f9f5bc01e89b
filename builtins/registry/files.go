package registry

// FileReader reads files for builtins: only below the campaign's folders (the project's root, and folders the user
// named on the command line). Names in scripts are separated by "/" and relative to the folder of the campaign file;
// "//name" starts at the project's root; absolute names work inside the campaign's folders.
type FileReader interface {
	// Read returns the content of a file.
	Read(name string) ([]byte, error)
	// List returns the regular files that match a pattern, sorted: a file, a folder (everything below it), or a pattern
	// with *, ?, [...] within a name and ** for any number of folders. Read accepts the returned names. others are
	// pipes, devices and links that leave the folders; Read returns an error for each of them.
	List(pattern string) (names, others []string, err error)
	// Path returns the absolute path behind a name, for messages and for solvers.
	Path(name string) (string, error)
	// Root returns the absolute folder that "//" stands for.
	Root() string
}

// ForSeeds returns the FileReader for seeds: the seeds of a campaign are not part of the campaign file and are not kept
// with it.
func ForSeeds(f FileReader) FileReader {
	if s, ok := f.(interface{ ForSeeds() FileReader }); ok {
		return s.ForSeeds()
	}
	return f
}

// FilesKey is the slot of the campaign's files; package script fills it.
var FilesKey = NewKey[FileReader]("the file system", "this thread was not made by an interpreter")

// AddContext adds a line below the message of a script's error that says which case failed and how to replay it. Errors
// that cannot have such a line are returned unchanged.
func AddContext(err error, line string) error {
	if e, ok := err.(interface{ AddContext(string) error }); ok {
		return e.AddContext(line)
	}
	return err
}
