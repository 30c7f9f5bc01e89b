package system

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// AdoptOrphans makes this process the parent of processes that its descendants leave behind when they end, such as
// background programs, so that they can be found and ended.
var AdoptOrphans = sync.OnceFunc(func() {
	adopts.Store(true)
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// AdoptOrphansOnceStarted calls AdoptOrphans when the first program is about to be started.
func AdoptOrphansOnceStarted() { adoptsLater.Store(true) }

// Starting is called before a program is started that may leave others behind.
func Starting() {
	if adoptsLater.Load() {
		AdoptOrphans()
	}
}

var adopts, adoptsLater atomic.Bool

// inherited are the children that this process had before it started any: `server & exec smtlark ...` in a shell. They
// and the processes that they leave behind are not ours. If there are any, the processes that this one starts are
// recognised by a setting in their environment, startedBy.
var inherited, startedBy = inheritedChildren()

func inheritedChildren() (children map[int]bool, setting string) {
	if !hasChildren() {
		return nil, ""
	}
	children = map[int]bool{}
	for _, p := range Processes() {
		if p.Parent == os.Getpid() {
			children[p.PID] = true
		}
	}
	name := fmt.Sprintf("SMTLARK_STARTED_BY_%d_%d", os.Getpid(), time.Now().UnixNano())
	_ = os.Setenv(name, "1")
	return children, name + "=1"
}

// hasChildren reports whether this process has a child, including one that has ended but was not waited for.
func hasChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return !errors.Is(err, unix.ECHILD)
}

// isForeign reports whether a child was neither started by this process nor left behind by one of its descendants.
func isForeign(pid int) bool {
	return len(inherited) > 0 && (inherited[pid] || !Began(pid, startedBy))
}

// Processes lists the processes that can be seen.
func Processes() (all []Relative) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := relative(pid); ok {
			all = append(all, p)
		}
	}
	return all
}

// relative looks at one process.
func relative(pid int) (p Relative, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return p, false
	}
	// pid (comm) state ppid pgrp session ...; comm may contain anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 4 {
		return p, false
	}
	parent, _ := strconv.Atoi(fields[1])
	session, _ := strconv.Atoi(fields[3])
	return Relative{pid, parent, session}, true
}

// children lists the children of this process for which skip is false. The kernel has a list of them for each thread,
// which may miss a child while another one ends; without such lists, all processes are examined.
func children(skip func(pid int) bool) (out []Relative) {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil
	}
	listed := false
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err != nil {
			continue // the thread has ended, or the kernel is built without CONFIG_PROC_CHILDREN
		}
		listed = true
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil || skip(pid) {
				continue
			}
			if p, ok := relative(pid); ok {
				out = append(out, p)
			}
		}
	}
	if !listed {
		out = slices.DeleteFunc(Processes(), func(p Relative) bool { return p.Parent != os.Getpid() || skip(p.PID) })
	}
	return out
}

// EndOrphansBut ends orphans as EndOrphans does, except for the children that skip or keep selects. skip is called
// first and gets only the process ID. It is cheap enough to be called every other second.
func EndOrphansBut(skip func(pid int) bool, keep func(child Relative) bool) (ended int) {
	return endOrphans(func() []Relative { return children(skip) }, keep)
}

// EndOrphans kills and reaps the children of this process that keep does not select, and their children, which become
// children of this process. It leaves alone the processes of StartDetached and those that existed before this process
// started any. It returns the number of ended processes; 0 if orphans were not adopted, because then nothing was
// started.
func EndOrphans(keep func(child Relative) bool) (ended int) { return endOrphans(Processes, keep) }

func endOrphans(list func() []Relative, keep func(child Relative) bool) (ended int) {
	if !adopts.Load() {
		return 0
	}
	killed := map[int]bool{}
	for range 50 {
		if !hasChildren() { // the list of all processes takes milliseconds
			return ended
		}
		for _, p := range list() {
			if p.Parent != os.Getpid() || killed[p.PID] || keep != nil && keep(p) {
				continue
			}
			if _, outlives := detached.Load(p.PID); outlives || isForeign(p.PID) {
				continue
			}
			if syscall.Kill(p.PID, syscall.SIGKILL) == nil {
				killed[p.PID] = true
				ended++
			}
		}
		if len(killed) == 0 {
			return ended
		}
		for pid := range killed {
			var st syscall.WaitStatus
			if got, err := syscall.Wait4(pid, &st, syscall.WNOHANG, nil); got == pid || err != nil {
				delete(killed, pid)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	return ended
}

// Began reports whether a process was started, directly or indirectly, with a setting in its environment.
func Began(pid int, setting string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && bytes.Contains(append([]byte{0}, text...), []byte("\x00"+setting+"\x00"))
}

// IsStarting reports whether a process shows no environment: most likely it is just executing another program.
func IsStarting(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || len(text) > 0 {
		return false
	}
	_, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // the kernel's own and those that have ended have none
	return err == nil
}

// Lives reports whether a process exists and is not about to end: it still has memory, which the kernel frees before it
// closes files.
func Lives(pid int) bool {
	_, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil
}
