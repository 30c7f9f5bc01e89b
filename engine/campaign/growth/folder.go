package growth

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smtlark/smtlark/engine/campaign/mixture"
	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/engine/judge/finding"
)

// IndexFile is the name of the index of a corpus that grows: a line of JSON for each seed and for each epoch, in the
// order in which they came.
const IndexFile = "index.jsonl"

// Folder is a corpus that grows on the disk: its seeds as SMT-LIB files, and an index from which it goes on after a
// stop. It is a Keeper.
type Folder struct {
	root  *os.Root // nothing is written through a link out of it
	index *os.File
}

// line is a line of the index: one of its fields.
type line struct {
	Solvers []finding.Counting `json:"solvers,omitempty"` // the first line
	Seed    *seedLine          `json:"seed,omitempty"`
	Table   *tableLine         `json:"table,omitempty"`
}

type seedLine struct {
	Number uint64  `json:"n"`
	File   string  `json:"file"`
	Took   *Report `json:"took"` // without its text
}

type tableLine struct {
	Epoch int                 `json:"epoch"`
	First uint64              `json:"first_case"`
	Seeds []finding.GrownSeed `json:"seeds"`
	Fresh []Covered           `json:"fresh,omitempty"`
}

// FileOf is the name of the file of a seed.
func FileOf(number uint64) string { return fmt.Sprintf("case-%d.smt2", number) }

// Create begins a corpus in a folder, which loses the one that it had.
func Create(dir string, solvers []finding.Counting) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	old, err := filepath.Glob(filepath.Join(system.Pattern(dir), "case-*.smt2"))
	if err != nil {
		return nil, err
	}
	for _, f := range old {
		if err := os.Remove(f); err != nil {
			return nil, err
		}
	}
	f, err := openFolder(dir, os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	return f, f.write(&line{Solvers: solvers})
}

// openFolder opens a folder with its index for writing.
func openFolder(dir string, how int) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	index, err := root.OpenFile(IndexFile, os.O_WRONLY|os.O_APPEND|how, 0o644)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Folder{root, index}, nil
}

// Continue resumes the corpus of a folder and returns its present state; next is the number of the next case. If there
// is no corpus, or if it belongs to other solvers, Continue begins a new one.
func Continue(dir string, solvers []finding.Counting, next uint64, toward *Direction) (*Growth, error) {
	g := New(solvers, next, nil, toward)
	end, err := readIndex(dir, func(l *line) error { return g.restore(dir, l) })
	if err != nil && !errors.Is(err, errOther) && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil || next == 0 {
		f, err := Create(dir, solvers)
		if err != nil {
			return nil, err
		}
		return New(solvers, next, f, toward), nil
	}
	f, err := openFolder(dir, 0)
	if err != nil {
		return nil, err
	}
	if err := f.index.Truncate(end); err != nil { // removes an incomplete entry of a killed process
		return nil, errors.Join(err, f.Close())
	}
	g.keep = f
	return g, nil
}

// errOther says that a corpus belongs to other solvers or other builds.
var errOther = errors.New("of other solvers")

// restore takes in a line of the index.
func (g *Growth) restore(dir string, l *line) error {
	switch {
	case l.Solvers != nil:
		if len(l.Solvers) != len(g.solvers) {
			return errOther
		}
		for i, s := range l.Solvers {
			if !s.Same(&g.solvers[i]) {
				return errOther
			}
		}
	case l.Seed != nil:
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(l.Seed.File)))
		if err != nil {
			return err
		}
		took, _, err := g.takeIn(l.Seed.Took)
		if err != nil {
			return err
		}
		g.addSeed(l.Seed.Number, string(text), took)
		g.creditParents(l.Seed.Took)
	case l.Table != nil:
		if _, _, err := g.takeIn(&Report{Covered: l.Table.Fresh}); err != nil {
			return err
		}
		g.weigh(l.Table.Epoch) // counts how often seeds were chosen
		if l.Table.Epoch >= g.folded-lag {
			g.tables[l.Table.Epoch] = l.Table.Seeds
			g.next = max(g.next, l.Table.Epoch+1)
		}
	}
	return nil
}

// readIndex reads the lines of an index that are whole, and returns where they end.
func readIndex(dir string, take func(*line) error) (end int64, err error) {
	name := filepath.Join(dir, IndexFile)
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return end, nil
		}
		if err != nil {
			return end, err
		}
		var l line
		if err := json.Unmarshal(bytes.TrimSpace(text), &l); err != nil {
			return end, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if err := take(&l); err != nil {
			return end, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		end += int64(len(text))
	}
}

// SeedsFor returns the seeds, with their texts, from which case n of a campaign was made; the corpus of the folder
// belongs to that campaign. It returns nil if there are no such seeds, or no corpus.
func SeedsFor(dir string, n uint64) ([]finding.GrownSeed, error) {
	epoch, _ := mixture.EpochOf(n)
	var table []finding.GrownSeed
	_, err := readIndex(dir, func(l *line) error {
		if l.Table != nil && l.Table.Epoch == epoch {
			table = l.Table.Seeds
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range table {
		text, err := os.ReadFile(filepath.Join(dir, FileOf(table[i].Number)))
		if err != nil {
			return nil, fmt.Errorf("case %d may be made of a seed that grew in the campaign: %w", n, err)
		}
		table[i].Text = string(text)
	}
	return table, nil
}

// Seed implements Keeper.
func (f *Folder) Seed(number uint64, text string, took *Report) error {
	name := FileOf(number)
	if err := f.root.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	return f.write(&line{Seed: &seedLine{number, name, &Report{Covered: took.Covered, Parents: took.Parents}}})
}

// Table implements Keeper.
func (f *Folder) Table(epoch int, seeds []finding.GrownSeed, fresh []Covered) error {
	return f.write(&line{Table: &tableLine{epoch, mixture.FirstOf(epoch), seeds, fresh}})
}

func (f *Folder) write(l *line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = f.index.Write(append(text, '\n'))
	return err
}

// Close implements io.Closer.
func (f *Folder) Close() error { return errors.Join(f.index.Close(), f.root.Close()) }
