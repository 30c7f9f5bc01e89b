package backtrace

import "syscall"

// dwarfRegisters returns registers by their DWARF numbers (System V ABI, AMD64 supplement, figure 3.36).
func dwarfRegisters(r *syscall.PtraceRegs) (all map[uint64]uint64, pc, sp uint64) {
	return map[uint64]uint64{
		0: r.Rax, 1: r.Rdx, 2: r.Rcx, 3: r.Rbx, 4: r.Rsi, 5: r.Rdi, 6: r.Rbp, 7: r.Rsp, 8: r.R8, 9: r.R9, 10: r.R10,
		11: r.R11,
		12: r.R12, 13: r.R13, 14: r.R14, 15: r.R15, 16: r.Rip,
	}, r.Rip, r.Rsp
}
