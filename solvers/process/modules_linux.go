package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/smtlark/smtlark/solvers/coverage"
)

const (
	modulesStep = 2 * time.Millisecond // how often a process that starts is looked at
	// A process that was seen waiting for input this many times has loaded all its files.
	asleepInARow = 50
)

// AwaitModules finds out which numbers AFL++'s runtime gave to the edges of a program's files. It reads them from the
// memory of a process of the program that has just been started. It waits until the edges have numbers, until the
// process waits for input without any, or until dead reports that the process has ended.
func AwaitModules(ctx context.Context, pid int, program string, dead func() bool) ([]coverage.Module, error) {
	known := map[string]guards{}
	asleep := 0
	for end := time.Now().Add(sizeTime); ; time.Sleep(modulesStep) {
		asleep++
		if !isAsleep(pid) {
			asleep = 0
		}
		found, err := modulesOf(pid, known)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", program, err)
		case len(found) > 0:
			return found, nil
		case asleep == asleepInARow || dead() || ctx.Err() != nil || time.Now().After(end):
			return nil, fmt.Errorf("%s: no file of the running program has numbered its edges as those do that afl-clang-fast builds", program)
		}
	}
}

// guards is the location of the edge numbers in a file, see coverage.Guards.
type guards struct {
	offset uint64
	count  int
}

// modulesOf returns the instrumented files of a running process, or none while the edges of any of them have no numbers
// yet. known caches the guards of files.
func modulesOf(pid int, known map[string]guards) ([]coverage.Module, error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, nil // it is about to end
	}
	var out []coverage.Module
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(maps))
	for lines.Scan() {
		const fields = 6 // address, rights, offset, device, inode, path
		f := strings.Fields(lines.Text())
		if len(f) < fields || !strings.HasPrefix(f[5], "/") {
			continue
		}
		path := strings.Join(f[5:], " ")
		if seen[path] {
			continue
		}
		seen[path] = true // its lowest part comes first
		g, ok := known[path]
		if !ok {
			g.offset, g.count, _ = coverage.Guards(path) // a file that is not ELF has none
			known[path] = g
		}
		if g.count == 0 {
			continue
		}
		from, _, _ := strings.Cut(f[0], "-")
		base, err := strconv.ParseUint(from, 16, 64)
		if err != nil {
			return nil, err
		}
		first, err := firstNumber(pid, base+g.offset, g.count)
		if err != nil || first == 0 {
			return nil, err
		}
		out = append(out, coverage.Module{Path: path, First: first, Count: g.count})
	}
	return out, nil
}

// firstNumber reads the number of the first of count edges. It returns 0 if they have no numbers yet.
func firstNumber(pid int, address uint64, count int) (int, error) {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	numbers := make([]byte, 4*count)
	if _, err := memory.ReadAt(numbers, int64(address)); err != nil {
		return 0, nil // it is being laid out
	}
	first := binary.LittleEndian.Uint32(numbers)
	last := binary.LittleEndian.Uint32(numbers[4*(count-1):])
	if first == 0 || last == 0 {
		return 0, nil
	}
	for i := range count {
		if n := binary.LittleEndian.Uint32(numbers[4*i:]); n != first+uint32(i) {
			return 0, fmt.Errorf("its edges are not numbered one after the other (edge %d of the file has number %d, the first one %d): build it without AFL_LLVM_INST_RATIO", i, n, first)
		}
	}
	return int(first), nil
}
