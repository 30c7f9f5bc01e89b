// Package corpus has the seeds of campaigns: their sources, the labels that say what their answers are, and the order
// in which a campaign goes through them.
package corpus

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/judge/finding"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/solvers"
)

// Seed is one seed, which is read when it is needed.
type Seed interface {
	// Key tells the seeds of a process apart.
	Key() string
	// Name is the name of the seed in messages and in the description of a case.
	Name() string
	// Read returns the text.
	Read() ([]byte, error)
}

// FileReader reads files that a campaign may read.
type FileReader interface {
	Read(path string) ([]byte, error)
}

// File is a seed in a file.
type File struct {
	Files FileReader
	Path  string // as a campaign file would write it
}

// Key implements Seed.
func (f File) Key() string { return "file:" + f.Path }

// Name implements Seed.
func (f File) Name() string { return f.Path }

// Read implements Seed.
func (f File) Read() ([]byte, error) { return f.Files.Read(f.Path) }

// Text is a seed whose text is at hand.
type Text struct{ Label, Text string }

// Key implements Seed.
func (t Text) Key() string { return "text:" + t.Label + "\x00" + t.Text }

// Name implements Seed.
func (t Text) Name() string { return t.Label }

// Read implements Seed.
func (t Text) Read() ([]byte, error) { return []byte(t.Text), nil }

// Corpus is a list of seeds, which are read when they are picked. Its order is fixed, so a number means the same seed
// on any machine that has the same files.
type Corpus struct {
	source string // where the seeds are from, for people
	seeds  []Seed
	broken []finding.BrokenSeed // left out, by those who made it and while filtering
	// hint completes the error of an empty corpus.
	hint string

	mu     sync.Mutex
	groups map[string]*groups // groups of seeds to pair, by their common property
}

// New returns a corpus of the seeds in their order. source says where they are from, for people; broken are the seeds
// that were left out.
func New(source string, seeds []Seed, broken ...finding.BrokenSeed) *Corpus {
	return &Corpus{source: source, seeds: seeds, broken: broken}
}

// Source says where the seeds are from, for people.
func (c *Corpus) Source() string { return c.source }

// Seeds returns the seeds, not to be modified.
func (c *Corpus) Seeds() []Seed { return c.seeds }

// Empty is the error that there is no seed.
func (c *Corpus) Empty() error { return fmt.Errorf("there are no seeds in %s%s", c.source, c.hint) }

// Check reads every seed once and returns the campaign's facts about its seeds. usable returns an error for a text from
// which no cases can be made; all workers and campaigns with the same cache call it only once for the same texts. Seeds
// beyond a budget of bytes are counted but not read.
func (c *Corpus) Check(budget int64, known *memo.Cache, usable func(name string, text []byte) error) finding.PlannedSeeds {
	var labels []finding.Labels
	hash := sha256.New()
	for _, src := range c.seeds {
		if budget <= 0 {
			break
		}
		var label finding.Labels
		text, err := src.Read()
		budget -= int64(len(text))
		if err == nil {
			countLabel(&label, src, text)
		}
		labels = append(labels, label)
		fmt.Fprintf(hash, "%q %d %t\n", src.Name(), len(text), err == nil)
		hash.Write(text)
	}
	out := finding.PlannedSeeds{SeedSource: c.source, BrokenSeeds: slices.Clone(c.broken), Seeds: len(c.seeds)}
	for _, b := range knownBroken(c.seeds[:len(labels)], known, hash.Sum(nil), usable) {
		out.BrokenSeeds = append(out.BrokenSeeds, b.BrokenSeed)
		out.Seeds--
		labels[b.Number] = finding.Labels{}
	}
	for i := range labels {
		out.Labels.Add(&labels[i])
	}
	out.Broken = len(out.BrokenSeeds)
	return out
}

// brokenSeed is a seed that cannot be used, by its number from 0.
type brokenSeed struct {
	Number int
	finding.BrokenSeed
}

// knownBroken returns the broken seeds; hash is the hash of the texts of all seeds.
func knownBroken(seeds []Seed, known *memo.Cache, hash []byte, usable func(name string, text []byte) error) []brokenSeed {
	text, err := known.Once(fmt.Sprintf("broken seeds\x00%x", hash), func() (string, error) {
		text, err := json.Marshal(findBroken(seeds, usable))
		return string(text), err
	})
	var broken []brokenSeed
	if err == nil {
		err = json.Unmarshal([]byte(text), &broken)
	}
	if err != nil || slices.ContainsFunc(broken, func(b brokenSeed) bool { return b.Number < 0 || b.Number >= len(seeds) }) {
		return findBroken(seeds, usable)
	}
	return broken
}

func findBroken(seeds []Seed, usable func(name string, text []byte) error) (broken []brokenSeed) {
	for i, src := range seeds {
		text, err := src.Read()
		if err == nil {
			err = usable(src.Name(), text)
		}
		if err != nil {
			broken = append(broken, brokenSeed{i, Broken(src.Name(), err)})
		}
	}
	return broken
}

// Broken describes a seed that cannot be used.
func Broken(name string, err error) finding.BrokenSeed {
	var e *smtlib.Error
	if errors.As(err, &e) {
		return finding.BrokenSeed{File: name, Error: fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)}
	}
	return finding.BrokenSeed{File: name, Error: err.Error()}
}

// Filter keeps the seeds with the wanted logics and statuses; nil means any. Seeds that cannot be read are left out and
// counted as broken.
func (c *Corpus) Filter(logics, status []string) *Corpus {
	if logics == nil && status == nil {
		return c
	}
	return c.Where(func(logic, st string) bool {
		return (logics == nil || slices.Contains(logics, logic)) && (status == nil || slices.Contains(status, st))
	})
}

// Where keeps the seeds whose logic and status satisfy a predicate.
func (c *Corpus) Where(holds func(logic, status string) bool) *Corpus {
	out := &Corpus{source: c.source, broken: slices.Clone(c.broken), hint: " with the logic and status asked for"}
	for _, src := range c.seeds {
		text, err := src.Read()
		if err != nil {
			out.broken = append(out.broken, Broken(src.Name(), err))
			continue
		}
		if logic, st := labelInfo(src, text); holds(logic, st) {
			out.seeds = append(out.seeds, src)
		}
	}
	return out
}

// Trust returns the corpus in which seeds without a label are assumed to have the given answer.
func (c *Corpus) Trust(answer smtlib.Answer) *Corpus {
	out := &Corpus{source: c.source, broken: slices.Clone(c.broken), hint: c.hint}
	for _, src := range c.seeds {
		out.seeds = append(out.seeds, trustedSeed{src, answer})
	}
	return out
}

// For keeps the seeds whose logic is supported by all of some profiles; nil if there are none.
func (c *Corpus) For(list []*solvers.Profile) *Corpus {
	out := c.Where(func(logic, _ string) bool {
		return !slices.ContainsFunc(list, func(p *solvers.Profile) bool { return !p.Takes(logic) })
	})
	if len(out.seeds) == 0 {
		return nil
	}
	return out
}
