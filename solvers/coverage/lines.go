package coverage

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"io"
	"path"
)

// noLines returns an error about line tables.
func noLines(err error) error { return fmt.Errorf("its line tables: %w", err) }

// lines returns the debugging information of a file of a solver.
func (p *program) lines() (*dwarf.Data, error) {
	if p.file.Section(".debug_line") == nil && p.file.Section(".zdebug_line") == nil {
		return nil, errors.New("it has no line tables: build it with -g or -gline-tables-only")
	}
	data, err := p.file.DWARF()
	if err != nil {
		return nil, noLines(err)
	}
	return data, nil
}

// unit is a compilation unit with its line table.
type unit struct {
	rows   *dwarf.LineReader
	folder string // that it was compiled in
}

// nameOf returns the path of a source file.
func (u unit) nameOf(f *dwarf.LineFile) string {
	if path.IsAbs(f.Name) {
		return path.Clean(f.Name)
	}
	return path.Join(u.folder, f.Name)
}

// eachUnit calls f with each compilation unit that has a line table.
func eachUnit(data *dwarf.Data, f func(u unit) error) error {
	units := data.Reader()
	for {
		entry, err := units.Next()
		if err != nil || entry == nil {
			return err
		}
		units.SkipChildren()
		if entry.Tag != dwarf.TagCompileUnit {
			continue
		}
		rows, err := data.LineReader(entry)
		if err != nil {
			return noLines(err)
		}
		if rows == nil {
			continue
		}
		folder, _ := entry.Val(dwarf.AttrCompDir).(string)
		if err := f(unit{rows, folder}); err != nil {
			return err
		}
	}
}

// eachRow calls f with each row of the line table, which is valid until f returns.
func (u unit) eachRow(f func(row *dwarf.LineEntry)) error {
	var row dwarf.LineEntry
	for {
		if err := u.rows.Next(&row); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return noLines(err)
		}
		f(&row)
	}
}
