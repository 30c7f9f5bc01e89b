package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// residentMemory returns the resident memory of a process in bytes, 0 if it is not known.
func residentMemory(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// sessionMembers lists the processes of a session.
func sessionMembers(session int) (out []member) {
	for _, p := range system.Processes() {
		if p.Session == session {
			out = append(out, member{p.PID, p.Parent})
		}
	}
	return out
}
