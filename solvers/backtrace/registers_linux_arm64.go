package backtrace

import "syscall"

// dwarfRegisters returns registers by their DWARF numbers (DWARF for the Arm 64-bit Architecture, section 4.1).
func dwarfRegisters(r *syscall.PtraceRegs) (all map[uint64]uint64, pc, sp uint64) {
	all = map[uint64]uint64{31: r.Sp}
	for i, v := range r.Regs {
		all[uint64(i)] = v
	}
	return all, r.Pc, r.Sp
}
