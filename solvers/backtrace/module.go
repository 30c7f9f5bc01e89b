package backtrace

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/ianlancetaylor/demangle"

	"github.com/smtlark/smtlark/engine/ground/memo"
	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/solvers/build"
)

// module is a file of machine code: its tables for unwinding, and its names.
type module struct {
	path    string
	name    string
	build   string
	loads   []elf.ProgHeader // parts that are mapped
	frames  frame.FrameDescriptionEntries
	symbols []symbol                               // by address
	debug   func() *dwarf.Data                     // nil: the file has no lines of sources
	code    func(address uint64, into []byte) bool // reads the mapped bytes at an address
}

type symbol struct {
	start, size uint64
	name        string
}

// maxModules bounds the number of cached files: a campaign sees crashes of only a few.
const maxModules = 16

// modules caches files, since reading one takes some tenths of a second.
var modules struct {
	sync.Mutex
	read  map[moduleKey]*module
	order []moduleKey
}

type moduleKey struct {
	path     string
	size     int64
	modified int64
}

// moduleAt returns a file by its path; nil where it is no file of machine code.
func moduleAt(path string) *module {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	modules.Lock()
	defer modules.Unlock()
	key := moduleKey{path, info.Size(), info.ModTime().UnixNano()}
	if m, ok := modules.read[key]; ok {
		return m
	}
	if modules.read == nil {
		modules.read = map[moduleKey]*module{}
	}
	if len(modules.order) == maxModules {
		delete(modules.read, modules.order[0])
		modules.order = modules.order[1:]
	}
	m := readModule(path)
	modules.read[key], modules.order = m, append(modules.order, key)
	return m
}

// readModule reads a file. Broken parts are treated as missing, since files of strangers may contain anything.
func readModule(path string) (m *module) {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	m = &module{path: path, name: filepath.Base(path), build: build.GNUBuildID(f)}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			m.loads = append(m.loads, p.ProgHeader)
		}
	}
	m.code = func(address uint64, into []byte) bool {
		for _, p := range m.loads {
			if at := address - p.Vaddr; address >= p.Vaddr && at < p.Filesz && p.Filesz-at >= uint64(len(into)) {
				return readAt(path, into, int64(p.Off+at))
			}
		}
		return false
	}
	withoutPanics(func() {
		s := f.Section(".eh_frame")
		if s == nil || s.Type == elf.SHT_NOBITS {
			return
		}
		table, err := s.Data()
		if err != nil {
			return
		}
		entries, err := frame.Parse(table, f.ByteOrder, 0, 8, s.Addr)
		if err == nil {
			m.frames = entries.Append(nil) // sorts them
		}
	})
	withoutPanics(func() { m.symbols = symbolsOf(f) })
	withoutPanics(func() {
		if s := f.Section(".debug_line"); s != nil && debugSize(f) <= maxDebug {
			m.debug = sync.OnceValue(func() *dwarf.Data { return readDebug(path) })
		}
	})
	return m
}

// readDebug reads the debugging information of a file, which may take half a second; nil where there is none.
func readDebug(path string) (data *dwarf.Data) {
	f, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	withoutPanics(func() { data, _ = f.DWARF() })
	return data
}

// readAt reads a piece of a file. The file is not kept: solvers have tens of megabytes, and few of these are looked at.
func readAt(path string, into []byte, from int64) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.ReadAt(into, from)
	return err == nil
}

// maxDebug bounds the debugging information that is read, in bytes.
const maxDebug = 256 << 20

func debugSize(f *elf.File) (n uint64) {
	for _, name := range []string{".debug_info", ".debug_line", ".debug_abbrev", ".debug_str", ".debug_ranges",
		".debug_rnglists"} {
		if s := f.Section(name); s != nil {
			n += s.Size
		}
	}
	return n
}

// withoutPanics calls a function that may panic on a broken file.
func withoutPanics(f func()) {
	defer func() { _ = recover() }()
	f()
}

// symbolsOf returns the functions that a file names, by address.
func symbolsOf(f *elf.File) (out []symbol) {
	static, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, s := range slices.Concat(static, dynamic) {
		kind := elf.ST_TYPE(s.Info)
		if (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC || kind == elf.STT_NOTYPE) && s.Section != elf.SHN_UNDEF &&
			s.Section < elf.SHN_LORESERVE && s.Name != "" && s.Size > 0 {
			out = append(out, symbol{s.Value, s.Size, s.Name})
		}
	}
	// If a function has several names, the least one is used, so that the choice is always the same.
	slices.SortFunc(out, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.name, b.name))
	})
	return out
}

// symbolAt returns the function that covers an address; nil where none is known.
func (m *module) symbolAt(address uint64) *symbol {
	i, _ := slices.BinarySearchFunc(m.symbols, address, func(s symbol, a uint64) int {
		if s.start <= a {
			return -1
		}
		return 1
	})
	if i == 0 {
		return nil
	}
	start := m.symbols[i-1].start
	for i > 0 && m.symbols[i-1].start == start {
		i--
	}
	for ; i < len(m.symbols) && m.symbols[i].start == start; i++ {
		if address-start < m.symbols[i].size {
			return &m.symbols[i]
		}
	}
	return nil
}

// clone matches what compilers add to the names of parts of functions, and of their copies for some arguments.
var clone = pattern.Lazy(`(\.(cold|part|constprop|isra|lto_priv|localalias)(\.\d+)*)+$`)

// describeFrame fills the fields of a frame at an address of the file.
func (m *module) describeFrame(f *Frame, address uint64) {
	f.Module, f.Build = m.name, m.build
	f.Start = address
	if entry, err := m.frames.FDEForPC(address); err == nil {
		f.Start = entry.Begin()
	}
	if s := m.symbolAt(address); s != nil {
		f.Function, f.Start = demangle.Filter(clone().ReplaceAllString(s.name, "")), s.start
	}
	f.Offset = address - f.Start
	if m.debug != nil {
		f.File, f.Line = m.knownLine(address)
	}
}

// knownLine is lineAt. Its results are cached for all workers and campaigns: crashes occur at few addresses, and
// reading the debugging information for one took a tenth of the cost of a 20 s campaign.
func (m *module) knownLine(address uint64) (file string, line int) {
	text, err := memo.User().OfFile(fmt.Sprintf("line at %x", address), m.path, func() (string, error) {
		withoutPanics(func() { file, line = m.lineAt(address) })
		return fmt.Sprintf("%d %s", line, file), nil
	})
	if err != nil {
		return "", 0
	}
	number, file, _ := strings.Cut(text, " ")
	line, _ = strconv.Atoi(number)
	return file, line
}

// lineAt looks an address up in the debugging information.
func (m *module) lineAt(address uint64) (string, int) {
	debug := m.debug()
	if debug == nil {
		return "", 0
	}
	unit, err := debug.Reader().SeekPC(address)
	if err != nil {
		return "", 0
	}
	lines, err := debug.LineReader(unit)
	if err != nil || lines == nil {
		return "", 0
	}
	var entry dwarf.LineEntry
	if err := lines.SeekPC(address, &entry); err != nil || entry.File == nil {
		return "", 0
	}
	return entry.File.Name, entry.Line
}
