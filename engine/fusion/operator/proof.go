package operator

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// library records the proofs of the operators of the library: a line an operator, its key and its name. smtlark fusion
// check --record writes it.
//
//go:embed proven.txt
var library string

// proofs are the keys that are known to be proven.
var proofs struct {
	sync.Mutex
	keys map[string]bool
}

// Key identifies the definition of an operator: its sorts, its indices and its terms for one choice of numbers. Proofs
// are recorded under it.
func (o *Operator) Key(env any) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%v\n", o.Name, o.Signature(), o.Assumed)
	rules := 0
	for _, w := range []int64{8, 5, 3} {
		for v := range 2 {
			b := o.sample(w)
			r, err := o.Rule(env, b, v)
			if err == ErrNoRule {
				continue
			}
			if err != nil {
				return "", err
			}
			r.hash(h)
			rules++
		}
	}
	if rules == 0 {
		return "", fmt.Errorf("operator %s: no choice of its numbers gives sorts", o.Name)
	}
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}

// hash writes what the rule's terms are made of, apart from how terms are printed.
func (r *Rule) hash(w io.Writer) {
	for i, t := range append([]*Template{r.Apply}, r.Inverse...) {
		fmt.Fprintf(w, "%s %d\n", r.Numbers, i)
		if t == nil {
			continue
		}
		for k := range t.nodes {
			n := &t.nodes[k]
			sort := "" // of others it follows
			if n.kind == tAs {
				sort = n.sort.String()
			}
			fmt.Fprintf(w, "%d %s %d %v %v %s %v %v %q %d\n", n.kind, n.op, n.n, n.idx, n.args, sort, n.num, n.rat, string(n.str), n.w)
		}
	}
}

// Proven reports whether a proof is on record: of the library, or of this user.
func Proven(key string) bool {
	proofs.Lock()
	defer proofs.Unlock()
	if proofs.keys == nil {
		proofs.keys = map[string]bool{}
		text := library
		if file, err := recordFile(); err == nil {
			own, _ := os.ReadFile(file) // no record yet is no proof
			text += "\n" + string(own)
		}
		for _, line := range strings.Split(text, "\n") {
			if f := strings.Fields(line); len(f) > 0 {
				proofs.keys[f[0]] = true
			}
		}
	}
	return proofs.keys[key]
}

func recordFile() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to record proofs: %w", err)
	}
	return filepath.Join(dir, "smtlark", "fusion", "proven.txt"), nil
}

// Record adds proofs to the user's record: keys with the operators' names. It returns the file.
func Record(lines []string) (string, error) {
	file, err := recordFile()
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
	for _, l := range lines {
		if _, err := fmt.Fprintln(f, l); err != nil {
			_ = f.Close()
			return "", fmt.Errorf("recording proofs in %s: %w", file, err)
		}
	}
	proofs.Lock()
	proofs.keys = nil
	proofs.Unlock()
	return file, f.Close()
}
