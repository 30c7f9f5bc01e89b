package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ProofLedger records proofs, one per line with a key and a name. One ledger comes with the program; the proofs of this
// user are in the cache folder.
type ProofLedger struct {
	kind    string // the folder of the user's file
	library string

	mu   sync.Mutex
	keys map[string]bool
}

// NewLedger returns the ledger for a kind of proofs, such as fusion, with the library that comes with the program.
func NewLedger(kind, library string) *ProofLedger { return &ProofLedger{kind: kind, library: library} }

// Has reports whether a proof is on record, in the library or for this user.
func (l *ProofLedger) Has(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keys == nil {
		l.keys = map[string]bool{}
		text := l.library
		if file, err := l.file(); err == nil {
			own, _ := os.ReadFile(file) // no record yet is no proof
			text += "\n" + string(own)
		}
		for _, line := range strings.Split(text, "\n") {
			if f := strings.Fields(line); len(f) > 0 {
				l.keys[f[0]] = true
			}
		}
	}
	return l.keys[key]
}

func (l *ProofLedger) file() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to record proofs: %w", err)
	}
	return filepath.Join(dir, "smtlark", l.kind, "proven.txt"), nil
}

// Add adds proofs to the user's record: keys with names. It returns the file.
func (l *ProofLedger) Add(lines []string) (string, error) {
	file, err := l.file()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("recording proofs: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return "", fmt.Errorf("recording proofs: %w", err)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(f, line); err != nil {
			_ = f.Close()
			return "", fmt.Errorf("recording proofs in %s: %w", file, err)
		}
	}
	l.mu.Lock()
	l.keys = nil
	l.mu.Unlock()
	return file, f.Close()
}
