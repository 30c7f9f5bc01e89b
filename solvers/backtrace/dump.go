package backtrace

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// dump is the record of a fatal signal in a thread.
type dump struct {
	Signal    string            `json:"signal"`
	Registers map[uint64]uint64 `json:"registers"` // by their DWARF numbers
	PC        uint64            `json:"pc"`
	Base      uint64            `json:"base"`  // of Stack
	Stack     []byte            `json:"stack"` // its content
	Cut       bool              `json:"cut"`   // the stack goes on behind Stack
	Maps      []mapping         `json:"maps"`  // of files only
}

// mapping is a part of a file in the memory of a process.
type mapping struct {
	Start, End, Offset uint64
	Executable         bool
	Path               string
}

// maxStack is the number of bytes of a stack, from its pointer on, that are kept: far more frames than anybody reads.
const maxStack = 2 << 20

// errCut says that memory belongs to the part of a stack that was not kept.
var errCut = errors.New("the stack was cut here")

// readMemory copies memory of the dead process.
func (d *dump) readMemory(into []byte, address uint64) error {
	if address < d.Base || address-d.Base >= uint64(len(d.Stack)) ||
		uint64(len(d.Stack))-(address-d.Base) < uint64(len(into)) {
		if end := d.Base + uint64(len(d.Stack)); d.Cut && address+uint64(len(into)) > end && address < end+beyond {
			return errCut
		}
		return fmt.Errorf("nothing is known of the memory at 0x%x", address)
	}
	copy(into, d.Stack[address-d.Base:])
	return nil
}

// beyond bounds how many bytes a stack pointer may be below its stack after an overflow.
const beyond = 1 << 20

// mappingsOf reads which files a process has mapped, and the part of its memory that a stack pointer means.
func mappingsOf(pid int, sp uint64) (out []mapping, base, end uint64, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, 0, 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var m mapping
		var perm, device string
		var inode uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d", &m.Start, &m.End, &perm, &m.Offset, &device,
			&inode); n != 6 {
			continue
		}
		if m.End > sp && m.Start < sp+beyond && end == 0 && strings.HasPrefix(perm, "rw") {
			base, end = max(sp, m.Start), m.End
		}
		if i := strings.IndexByte(lines.Text(), '/'); i >= 0 && inode != 0 {
			m.Path = strings.TrimSuffix(lines.Text()[i:], " (deleted)")
			m.Executable = strings.Contains(perm, "x")
			if filepath.IsAbs(m.Path) {
				out = append(out, m)
			}
		}
	}
	return out, base, end, lines.Err()
}
