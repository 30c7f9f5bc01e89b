package coverage

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
)

// FileEdges counts the edges of a source file, and those of them that were taken.
type FileEdges struct {
	File  string // below the folder that the files of the program have in common, but for those of the system
	Edges int    // taken
	Of    int
}

// ByFile counts the edges of a solver by the source file that they lie in, those with most edges that were not taken
// first. taken says of an edge whether it was. Files without line tables are left out; it is an error if none has
// any.
func ByFile(modules []Module, taken func(edge int) bool) ([]FileEdges, error) {
	in := map[string]*FileEdges{}
	var failed []error
	for _, m := range modules {
		if err := m.byFile(taken, in); err != nil {
			failed = append(failed, err)
		}
	}
	if len(in) == 0 {
		return nil, cmp.Or(errors.Join(failed...), errors.New("no edge lies in a line of the source"))
	}
	common := commonFolder(slices.Collect(maps.Keys(in)))
	out := make([]FileEdges, 0, len(in))
	for name, f := range in {
		f.File = strings.TrimPrefix(name, common)
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b FileEdges) int {
		return cmp.Or(cmp.Compare(b.Of-b.Edges, a.Of-a.Edges), cmp.Compare(a.File, b.File))
	})
	return out, nil
}

// byFile counts the edges of one file of a solver.
func (m Module) byFile(taken func(edge int) bool, in map[string]*FileEdges) error {
	p, err := openProgram(m.Path)
	if err != nil {
		return err
	}
	defer p.file.Close()
	data, err := p.lines()
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	names := make([]string, m.Count) // by guard
	err = eachUnit(data, func(u unit) error {
		var last dwarf.LineEntry // the previous row; its code range ends where that of the next row begins
		last.EndSequence = true
		return u.eachRow(func(row *dwarf.LineEntry) {
			if !last.EndSequence && last.File != nil {
				for _, s := range p.sitesWithin(last.Address, row.Address) {
					if s.guard < len(names) {
						names[s.guard] = u.nameOf(last.File)
					}
				}
			}
			last = *row
		})
	})
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	for guard, name := range names {
		if name == "" {
			continue
		}
		f := in[name]
		if f == nil {
			f = &FileEdges{}
			in[name] = f
		}
		f.Of++
		if taken(m.First + guard) {
			f.Edges++
		}
	}
	return nil
}

// sitesWithin returns the sites whose instructions lie in a stretch of code.
func (p *program) sitesWithin(low, high uint64) []site {
	// The address of a site is behind its instruction.
	from := sort.Search(len(p.sites), func(i int) bool { return p.sites[i].address > low })
	to := from
	for to < len(p.sites) && p.sites[to].address <= high {
		to++
	}
	return p.sites[from:to]
}

// commonFolder returns the longest folder, with the slash behind it, in which all files of the program lie that are
// not the system's.
func commonFolder(names []string) string {
	common, any := "", false
	for _, name := range names {
		dir := path.Dir(name) + "/"
		if strings.HasPrefix(name, "/usr/") {
			continue
		}
		if !any {
			common, any = dir, true
		}
		for !strings.HasPrefix(dir, common) {
			common = common[:strings.LastIndexByte(strings.TrimSuffix(common, "/"), '/')+1]
		}
	}
	return common
}
