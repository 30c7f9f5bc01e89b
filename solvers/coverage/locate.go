package coverage

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Module is a file of a solver that counts edges, and the number of its first edge in the map of the solver. The
// others follow.
type Module struct {
	Path  string `json:"path"`
	First int    `json:"first"`
	Count int    `json:"count"`
}

// Line is a line of a source file.
type Line struct {
	File   string `json:"file"`
	Number int    `json:"line"`
}

// Aim has the edges and lines of a change in a solver.
type Aim struct {
	Lines []Line    // the changed lines that have code, in order
	Edges [][]int   // by line: the numbers of the edges that lie in it
	Near  []float32 // by number of an edge: its nearness, 1 in a changed line; 0: not related to the change
	// Functions are the names of the functions that have changed lines, and Calls how many functions lead to these by
	// direct calls.
	Functions []string
	Calls     int
}

// Nearness of edges in a changed line, in its function, and in calling functions, which halves with each call in
// between. A function may have hundreds of edges, which together must not count more than the line. Distances over
// calls are those of directed greybox fuzzing (Böhme, Pham, Nguyen and Roychoudhury, "Directed Greybox Fuzzing", CCS
// 2017), without those inside of functions.
const (
	inLine     = 1
	inFunction = 1. / 16
	inCaller   = 1. / 64
	maxCalls   = 6
)

// Locate finds a change in the files of a solver whose map has so many edges. root is the folder to which the names of
// the change are relative; if it is "" (unknown), files are matched by the ends of their paths. It is an error if no
// changed line has code.
func Locate(modules []Module, edges int, c *Change, root string) (*Aim, error) {
	out := &Aim{Near: make([]float32, edges)}
	in := map[Line][]int{}
	known := map[string]bool{}
	var failed []error
	for _, m := range modules { // modules without line tables are skipped
		if err := out.locate(m, c, root, in, known); err != nil {
			failed = append(failed, err)
		}
	}
	if len(in) == 0 {
		if err := errors.Join(failed...); err != nil {
			return nil, err
		}
		return nil, errNoCode(modules, c, known)
	}
	out.Lines = slices.SortedFunc(maps.Keys(in), func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Number, b.Number))
	})
	for _, l := range out.Lines {
		slices.Sort(in[l])
		out.Edges = append(out.Edges, slices.Compact(in[l]))
	}
	return out, nil
}

func errNoCode(modules []Module, c *Change, known map[string]bool) error {
	var names []string
	for _, f := range c.Files {
		names = append(names, f.Path)
	}
	if len(names) == 0 {
		return errors.New("the change has no new lines in any file")
	}
	if len(known) == 0 {
		return fmt.Errorf("%s: none of the changed files is among its sources (%s); --source names the folder that it was built from, and it needs line tables (-g or -gline-tables-only)", modules[0].Path, strings.Join(names, ", "))
	}
	return fmt.Errorf("%s: no changed line of %s has code: comments and declarations have none", modules[0].Path,
		strings.Join(slices.Sorted(maps.Keys(known)), ", "))
}

// locate finds the change in one file of a solver. in gets the edges by line, known the files that have line tables.
func (a *Aim) locate(m Module, c *Change, root string, in map[Line][]int, known map[string]bool) error {
	p, err := openProgram(m.Path)
	if err != nil {
		return err
	}
	defer p.file.Close()
	reached := map[int]bool{} // functions
	var from []int
	err = p.eachRow(c, root, known, func(l Line, address uint64) {
		guard, ok := p.guardOf(address)
		if !ok {
			return
		}
		e := m.First + guard
		in[l] = append(in[l], e)
		a.mark(e, inLine)
		if f := p.functionAt(address); f >= 0 {
			if !reached[f] {
				reached[f] = true
				from = append(from, f)
			}
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	slices.Sort(from)
	for _, f := range from {
		a.Functions = append(a.Functions, demangle.Filter(p.functions[f].name, demangle.NoParams, demangle.NoTemplateParams))
	}
	callers := map[int][]int{}
	if len(from) > 0 {
		callers = p.callers()
	}
	weight := float32(inFunction)
	for calls := 0; calls <= maxCalls && len(from) > 0; calls++ {
		var next []int
		for _, f := range from {
			for _, s := range p.sitesOf(f) {
				a.mark(m.First+s.guard, weight)
			}
			for _, caller := range callers[f] {
				if !reached[caller] && calls < maxCalls {
					reached[caller] = true
					next = append(next, caller)
				}
			}
		}
		a.Calls += len(next)
		from, weight = next, inCaller/float32(int(1)<<calls)
	}
	return nil
}

// mark notes how near an edge is.
func (a *Aim) mark(edge int, near float32) {
	if edge < len(a.Near) {
		a.Near[edge] = max(a.Near[edge], near)
	}
}

// eachRow calls f with each place in the code of a changed line.
func (p *program) eachRow(c *Change, root string, known map[string]bool, f func(l Line, address uint64)) error {
	data, err := p.lines()
	if err != nil {
		return err
	}
	wanted := map[string]map[int]bool{} // by path in the change
	for _, file := range c.Files {
		lines := map[int]bool{}
		for _, n := range file.Lines {
			lines[n] = true
		}
		wanted[file.Path] = lines
	}
	return eachUnit(data, func(u unit) error {
		named := map[*dwarf.LineFile]string{} // the files that change
		for _, file := range u.rows.Files() {
			if file == nil {
				continue
			}
			for _, changed := range c.Files {
				if isFile(u.nameOf(file), changed.Path, root) {
					named[file] = changed.Path
					known[changed.Path] = true
				}
			}
		}
		if len(named) == 0 {
			return nil
		}
		return u.eachRow(func(row *dwarf.LineEntry) {
			if name, ok := named[row.File]; ok && !row.EndSequence && wanted[name][row.Line] {
				f(Line{name, row.Line}, row.Address)
			}
		})
	})
}

// Ranges writes lines, which are in order, as FILE:LINE or FILE:FIRST-LAST.
func Ranges(lines []Line) (out []string) {
	for i := 0; i < len(lines); {
		k := i + 1
		for k < len(lines) && lines[k].File == lines[i].File && lines[k].Number == lines[k-1].Number+1 {
			k++
		}
		text := fmt.Sprintf("%s:%d", lines[i].File, lines[i].Number)
		if k > i+1 {
			text += fmt.Sprintf("-%d", lines[k-1].Number)
		}
		out, i = append(out, text), k
	}
	return out
}

// isFile reports whether a source of a program is a file of a change.
func isFile(name, changed, root string) bool {
	name = path.Clean(name)
	if root != "" {
		if rest, ok := strings.CutPrefix(name, path.Clean(root)+"/"); ok {
			return rest == changed
		}
	}
	return name == changed || strings.HasSuffix(name, "/"+changed)
}
