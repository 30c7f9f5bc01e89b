package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/smtlark/smtlark/engine/campaign/corpus"
	"github.com/smtlark/smtlark/engine/ground/display"
)

// Output is a standard output that remembers the first error of writing to it, so that nothing that was found is lost
// without a word: most verbs print line by line and look at no error.
type Output struct {
	file *os.File
	mu   sync.Mutex
	err  error
}

// OutputTo returns the writer for a verb's output: the file itself if it is a terminal, otherwise an Output.
func OutputTo(file *os.File) io.Writer {
	if term.IsTerminal(int(file.Fd())) {
		return file
	}
	return &Output{file: file}
}

// Write implements io.Writer.
func (o *Output) Write(text []byte) (int, error) {
	n, err := o.file.Write(text)
	// Who closes the output wants none of it.
	if err != nil && !errors.Is(err, syscall.EBADF) {
		o.mu.Lock()
		if o.err == nil {
			o.err = err
		}
		o.mu.Unlock()
	}
	return n, err
}

// Err returns the first error of writing.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// FileOf returns the file that is written to, nil if it is none.
func FileOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *Output:
		return w.file
	case *os.File:
		return w
	}
	return nil
}

// EndOutput returns the exit code of a verb that ended with code: ExitDisk if its output could not be written.
func (e *Env) EndOutput(code int) int {
	o, ok := e.Stdout.(*Output)
	if !ok || o.Err() == nil || code >= ExitUsage {
		return code
	}
	fmt.Fprintf(e.Stderr, "smtlark: the output is not whole: %v\n", o.Err())
	return ExitDisk
}

// FilesBelow returns the files of a folder as corpus.FilesBelow does, and prints which ones it leaves out.
func (e *Env) FilesBelow(folder string, extensions ...string) ([]string, error) {
	files, others, err := corpus.FilesBelow(folder, extensions...)
	for _, path := range others {
		fmt.Fprintf(e.Stderr, "smtlark: %s is left out: it is no regular file\n", display.Line(path))
	}
	return files, err
}
