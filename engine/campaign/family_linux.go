package campaign

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// The coordinator is a subreaper: orphans become its children and leave no zombies.
var adoptOrphans = sync.OnceFunc(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })

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
func sessionMembers(session int) []member {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []member
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		// pid (comm) state ppid pgrp session ...; comm may contain anything.
		at := bytes.LastIndexByte(text, ')')
		if at < 0 {
			continue
		}
		fields := strings.Fields(string(text[at+1:]))
		if len(fields) < 4 {
			continue
		}
		parent, _ := strconv.Atoi(fields[1])
		if sid, _ := strconv.Atoi(fields[3]); sid == session {
			out = append(out, member{pid, parent})
		}
	}
	return out
}
