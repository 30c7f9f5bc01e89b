package coverage

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// guardSection is the section in which instrumented code has a number for each of its edges (LLVM, SanitizerCoverage,
// trace-pc-guard, which AFL++'s afl-clang-fast builds with).
const guardSection = "__sancov_guards"

// guardBytes is the size of one of them.
const guardBytes = 4

// program is an instrumented file with its functions and the places where its edges are counted.
type program struct {
	file      *elf.File
	guards    elf.SectionHeader
	code      []codeSection
	functions []function // by address
	sites     []site     // by address
}

type codeSection struct {
	address uint64
	bytes   []byte
}

// function is a function of the symbol table.
type function struct {
	low, high uint64
	name      string
}

// site is a place where an edge is counted.
type site struct {
	address uint64
	guard   int // its place in the section of guards
}

// Guards returns where an instrumented file has the numbers of its edges in memory, relative to where its first
// segment is laid, and how many there are; 0 for a file that has none.
func Guards(path string) (offset uint64, count int, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	s := f.Section(guardSection)
	if s == nil {
		return 0, 0, nil
	}
	lowest := ^uint64(0)
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			lowest = min(lowest, p.Vaddr&^(p.Align-1))
		}
	}
	return s.Addr - lowest, int(s.Size / guardBytes), nil
}

// openProgram reads an instrumented file. The caller closes it.
func openProgram(path string) (*program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	p := &program{file: f}
	if err := p.read(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return p, nil
}

func (p *program) read() error {
	s := p.file.Section(guardSection)
	if s == nil {
		return fmt.Errorf("it has no section %s: where its edges lie is known of programs that afl-clang-fast built, and not of those of other compilers", guardSection)
	}
	if p.file.Machine != elf.EM_X86_64 {
		return fmt.Errorf("it is a program for %v: where edges lie is known on x86-64 only", p.file.Machine)
	}
	p.guards = s.SectionHeader
	for _, s := range p.file.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		text, err := s.Data()
		if err != nil {
			return err
		}
		p.code = append(p.code, codeSection{s.Addr, text})
	}
	symbols, err := p.file.Symbols()
	if err != nil {
		return fmt.Errorf("it has no table of symbols: %w; build it without -s and do not strip it", err)
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			p.functions = append(p.functions, function{s.Value, s.Value + s.Size, s.Name})
		}
	}
	slices.SortStableFunc(p.functions, func(a, b function) int { return cmp.Compare(a.low, b.low) })
	p.functions = slices.CompactFunc(p.functions, func(a, b function) bool { return a.low == b.low })
	p.findSites()
	return nil
}

// findSites finds the instructions that read the number of an edge. On x86-64 their last four bytes are the distance to
// it, behind a byte that says so (ModRM with mod 0 and r/m 5: relative to the next instruction). Only one place in a
// million looks the same by chance.
func (p *program) findSites() {
	low, high := p.guards.Addr, p.guards.Addr+p.guards.Size
	for _, s := range p.code {
		for i := 1; i+4 <= len(s.bytes); i++ {
			if s.bytes[i-1]&0xc7 != 0x05 {
				continue
			}
			next := s.address + uint64(i) + 4
			if to := next + uint64(int64(int32(binary.LittleEndian.Uint32(s.bytes[i:])))); to >= low && to < high &&
				(to-low)%guardBytes == 0 {
				p.sites = append(p.sites, site{next, int((to - low) / guardBytes)})
			}
		}
	}
	slices.SortFunc(p.sites, func(a, b site) int { return cmp.Compare(a.address, b.address) })
}

// functionAt returns the place of the function that has an address; -1: none.
func (p *program) functionAt(address uint64) int {
	i := sort.Search(len(p.functions), func(i int) bool { return p.functions[i].low > address }) - 1
	if i < 0 || address >= p.functions[i].high {
		return -1
	}
	return i
}

// sitesOf returns the sites of a function.
func (p *program) sitesOf(f int) []site {
	from := sort.Search(len(p.sites), func(i int) bool { return p.sites[i].address >= p.functions[f].low })
	to := sort.Search(len(p.sites), func(i int) bool { return p.sites[i].address >= p.functions[f].high })
	return p.sites[from:to]
}

// guardOf returns the guard of the stretch of code that an address is in: the last one that is read before it in its
// function, or the first one where it comes before all. ok is false if the function has no guards.
func (p *program) guardOf(address uint64) (guard int, ok bool) {
	f := p.functionAt(address)
	if f < 0 {
		return 0, false
	}
	sites := p.sitesOf(f)
	if len(sites) == 0 {
		return 0, false
	}
	i := sort.Search(len(sites), func(i int) bool { return sites[i].address > address })
	return sites[max(0, i-1)].guard, true
}

// callers returns by function those that call it directly. Calls by pointers, such as those of virtual functions, are
// not seen.
func (p *program) callers() map[int][]int {
	out := map[int][]int{}
	at := make(map[uint64]int, len(p.functions))
	for i, f := range p.functions {
		at[f.low] = i
	}
	const call, jump = 0xe8, 0xe9
	for _, s := range p.code {
		for i := 0; i+5 <= len(s.bytes); i++ {
			if s.bytes[i] != call && s.bytes[i] != jump {
				continue
			}
			place := s.address + uint64(i)
			callee, ok := at[place+5+uint64(int64(int32(binary.LittleEndian.Uint32(s.bytes[i+1:]))))]
			if !ok {
				continue
			}
			if caller := p.functionAt(place); caller >= 0 && caller != callee && !slices.Contains(out[callee], caller) {
				out[callee] = append(out[callee], caller)
			}
		}
	}
	return out
}
