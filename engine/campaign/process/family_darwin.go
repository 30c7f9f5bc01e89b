package process

import (
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// residentMemory returns the resident memory of a process in bytes, 0 if it is not known.
func residentMemory(pid int) int64 {
	text, err := exec.Command("/bin/ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return kilobytes << 10
}

// sessionMembers lists the processes of a session.
func sessionMembers(session int) []member {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var out []member
	for i := range all {
		pid := int(all[i].Proc.P_pid)
		if sid, err := unix.Getsid(pid); err == nil && sid == session && all[i].Proc.P_stat != zombie {
			out = append(out, member{pid, int(all[i].Eproc.Ppid)})
		}
	}
	return out
}

// zombie is SZOMB of proc.h.
const zombie = 5
