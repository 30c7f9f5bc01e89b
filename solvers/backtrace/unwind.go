package backtrace

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/go-delve/delve/pkg/dwarf/frame"
	"github.com/go-delve/delve/pkg/dwarf/op"
)

// maxFrames bounds how many frames of a stack are unwound.
const maxFrames = 256

// place is an address of a process in a file.
type place struct {
	m       *module
	address uint64 // in the file
}

// placeOf returns where an address of the process is in a file; m is nil where it is in none that can be executed.
func (d *dump) placeOf(pc uint64) (p place) {
	for i := range d.Maps {
		a := &d.Maps[i]
		if pc < a.Start || pc >= a.End || !a.Executable {
			continue
		}
		m := moduleAt(a.Path)
		if m == nil {
			return p
		}
		offset := pc - a.Start + a.Offset
		for _, l := range m.loads {
			// The mapping of a part begins at the page that it begins in.
			if l.Flags&elf.PF_X != 0 && offset >= l.Off && offset-l.Off < l.Filesz {
				return place{m, l.Vaddr + (offset - l.Off)}
			}
		}
		return p
	}
	return p
}

// Unwind returns the stack of the thread. It ends at the first frame that cannot be unwound.
func (d *dump) Unwind() *CallStack {
	s := &CallStack{Signal: d.Signal}
	registers, pc := maps.Clone(d.Registers), d.PC
	exact := true // pc is an instruction that was about to be executed, not one to return to
	for len(s.Frames) < maxFrames {
		at := d.placeOf(pc)
		if at.m == nil && len(s.Frames) > 0 {
			return s
		}
		var f Frame
		var entry *frame.FrameDescriptionEntry
		if at.m != nil {
			look := at.address
			if !exact { // a call that does not return may be the last instruction of its function
				look--
			}
			at.m.describeFrame(&f, look)
			entry, _ = at.m.frames.FDEForPC(look)
			f.Signal = entry != nil && strings.Contains(entry.CIE.Augmentation, "S")
		}
		s.Frames = append(s.Frames, f)
		exact = f.Signal
		var next map[uint64]uint64
		var err error
		if entry == nil && len(s.Frames) == 1 { // code without tables, or a jump to an address that is not code
			next, pc, err = d.scanForCaller(registers)
		} else {
			next, pc, err = d.callerRegisters(registers, entry, at.address)
		}
		if err != nil {
			s.More = errors.Is(err, errCut)
			return s
		}
		registers = next
	}
	s.More = true
	return s
}

var errEnd = errors.New("the stack ends here")

// stackPointer is the DWARF number of the stack pointer.
func (d *dump) stackPointer() uint64 {
	if _, arm := d.Registers[31]; arm {
		return 31
	}
	return 7
}

// callerRegisters returns the registers as they were in the function that called another one, by the table of that one.
func (d *dump) callerRegisters(registers map[uint64]uint64, entry *frame.FrameDescriptionEntry,
	address uint64) (next map[uint64]uint64, pc uint64, err error) {
	if entry == nil {
		return nil, 0, errEnd
	}
	err = errEnd
	withoutPanics(func() { next, pc, err = d.callerByTable(registers, entry, address) })
	return next, pc, err
}

func (d *dump) callerByTable(registers map[uint64]uint64, entry *frame.FrameDescriptionEntry,
	address uint64) (map[uint64]uint64, uint64, error) {
	row, err := entry.EstablishFrame(address)
	if err != nil {
		return nil, 0, err
	}
	var cfa uint64
	switch row.CFA.Rule {
	case frame.RuleCFA:
		cfa = registers[row.CFA.Reg] + uint64(row.CFA.Offset)
	case frame.RuleExpression:
		if cfa, err = d.evaluateExpression(registers, 0, row.CFA.Expression, false); err != nil {
			return nil, 0, err
		}
	default:
		return nil, 0, errEnd
	}
	next := maps.Clone(registers)
	next[d.stackPointer()] = cfa
	for number, rule := range row.Regs {
		value, known, err := d.restoreRegister(registers, cfa, rule)
		if err != nil {
			return nil, 0, err
		}
		switch {
		case known:
			next[number] = value
		case number == row.RetAddrReg: // undefined: the outermost function
			return nil, 0, errEnd
		}
	}
	pc := next[row.RetAddrReg]
	sp := d.stackPointer()
	if pc == 0 || next[sp] == registers[sp] && maps.Equal(next, registers) {
		return nil, 0, errEnd
	}
	return next, pc, nil
}

// restoreRegister returns the value that a register had in the caller; known is false where it kept the one it has.
func (d *dump) restoreRegister(registers map[uint64]uint64, cfa uint64,
	rule frame.DWRule) (value uint64, known bool, err error) {
	switch rule.Rule {
	case frame.RuleOffset:
		value, err = d.readWord(cfa + uint64(rule.Offset))
	case frame.RuleValOffset:
		value = cfa + uint64(rule.Offset)
	case frame.RuleRegister:
		value = registers[rule.Reg]
	case frame.RuleExpression:
		if value, err = d.evaluateExpression(registers, cfa, rule.Expression, true); err == nil {
			value, err = d.readWord(value)
		}
	case frame.RuleValExpression:
		value, err = d.evaluateExpression(registers, cfa, rule.Expression, true)
	default:
		return 0, false, nil
	}
	return value, err == nil, err
}

// evaluateExpression computes a DWARF expression, which begins with the CFA on its stack where the rule is of a
// register.
func (d *dump) evaluateExpression(registers map[uint64]uint64, cfa uint64, expression []byte,
	pushed bool) (uint64, error) {
	list := make([]*op.DwarfRegister, 33)
	for number, value := range registers {
		if number < uint64(len(list)) {
			list[number] = op.DwarfRegisterFromUint64(value)
		}
	}
	sp := d.stackPointer()
	all := op.NewDwarfRegisters(0, list, binary.LittleEndian, 16, sp, 6, 30)
	all.CFA = int64(cfa)
	if pushed {
		expression = slices.Concat([]byte{byte(op.DW_OP_call_frame_cfa)}, expression)
	}
	value, _, err := op.ExecuteStackProgram(*all, expression, 8, func(into []byte, address uint64) (int, error) {
		return len(into), d.readMemory(into, address)
	})
	return uint64(value), err
}

func (d *dump) readWord(address uint64) (uint64, error) {
	var b [8]byte
	if err := d.readMemory(b[:], address); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// scanned bounds how many words of the stack are looked at for a return address.
const scanned = 512

// scanForCaller looks for the caller of code that no table describes: the innermost word of the stack that is an
// address behind a call in code that has a table. Breakpad does the same.
func (d *dump) scanForCaller(registers map[uint64]uint64) (map[uint64]uint64, uint64, error) {
	sp := d.stackPointer()
	if link, arm := registers[30], sp == 31; arm && d.returnsTo(link) {
		return registers, link, nil
	}
	for i := range uint64(scanned) {
		word, err := d.readWord(registers[sp] + 8*i)
		if err != nil {
			break
		}
		if d.returnsTo(word) {
			next := maps.Clone(registers)
			next[sp] += 8 * (i + 1)
			return next, word, nil
		}
	}
	return nil, 0, errEnd
}

// returnsTo reports whether an address is behind a call.
func (d *dump) returnsTo(pc uint64) bool {
	at := d.placeOf(pc)
	if at.m == nil || at.address < 8 {
		return false
	}
	if _, err := at.m.frames.FDEForPC(at.address - 1); err != nil {
		return false
	}
	var before [7]byte
	if !at.m.code(at.address-7, before[:]) {
		return false
	}
	if d.stackPointer() == 31 { // BL, BLR
		word := binary.LittleEndian.Uint32(before[3:])
		return word>>26 == 0b100101 || word&0xfffffc1f == 0xd63f0000
	}
	if before[2] == 0xe8 { // call rel32
		return true
	}
	for n := 2; n <= 7; n++ { // call r/m64: FF /2
		if b := before[7-n:]; b[0] == 0xff && b[1]>>3&7 == 2 {
			return true
		}
	}
	return false
}

// Recursion shows by a cycle of so many frames at most, which comes so often.
const (
	maxCycle  = 40
	minRounds = 4
)

func recursiveNames(s *CallStack) []string {
	if !s.More { // a full stack is deep
		return nil
	}
	names := make([]string, len(s.Frames))
	for i := range s.Frames {
		names[i] = s.Frames[i].Name()
	}
	// The top frames may belong to a function that the last round of the cycle called.
	const top = 16
	for n := 1; n <= maxCycle; n++ {
		body := names[min(top, len(names)):]
		if len(body) < minRounds*n {
			return nil
		}
		if slices.Equal(body[:(minRounds-1)*n], body[n:minRounds*n]) {
			cycle := slices.Clone(body[:n])
			slices.Sort(cycle)
			return slices.Compact(cycle)
		}
	}
	return nil
}
