// Command times runs the linters and the tests of the gate and prints where their time goes: seconds of the wall and of
// processors (those of all processes, and the kernel's share) by step and package, and by script of cmd/smtlark.
//
//	go run ./tools/times [PACKAGES]      default: ./...
//
// Nothing else should run meanwhile. Packages run one after the other, and scripts, too, so that a figure is that of
// one of them: the sum of the wall is more than that of the gate.
package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// envNote names the file to which a test writes its times when go test starts it through this program.
const envNote = "SMTLARK_TIMES_NOTE"

// row is the time of something, in seconds.
type row struct {
	name              string
	wall, cpu, kernel float64
}

func main() {
	if note := os.Getenv(envNote); note != "" {
		os.Exit(runTest(note, os.Args[1:]))
	}
	if err := printTimes(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "times:", err)
		os.Exit(1)
	}
}

// runTest runs the program of a test and records its time.
func runTest(note string, argv []string) int {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	r := measure(cmd)
	dir, err := os.Getwd()
	if err != nil {
		dir = argv[0]
	}
	out, err := os.OpenFile(note, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, "times:", err)
		return 1
	}
	fmt.Fprintf(out, "%.2f %.2f %.2f %s\n", r.wall, r.cpu, r.kernel, dir)
	_ = out.Close()
	return cmd.ProcessState.ExitCode()
}

// measure runs a command to its end; its processes are counted as far as somebody waited for them.
func measure(cmd *exec.Cmd) (r row) {
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		fmt.Fprintf(os.Stderr, "times: %s: %v\n", strings.Join(cmd.Args, " "), err)
	}
	r.wall = time.Since(begun).Seconds()
	if s := cmd.ProcessState; s != nil {
		r.kernel = s.SystemTime().Seconds()
		r.cpu = s.UserTime().Seconds() + r.kernel
	}
	return r
}

func printTimes(packages []string) error {
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	dir, err := os.MkdirTemp("", "times-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var steps []row
	for _, step := range []string{"sh tools/tidy.sh", "go vet ./...", "go tool staticcheck ./...", "sh tools/deadcode.sh"} {
		words := strings.Fields(step)
		r := measure(exec.Command(words[0], words[1:]...))
		r.name = step
		steps = append(steps, r)
	}
	table("step", steps)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	note, scripts := filepath.Join(dir, "packages"), filepath.Join(dir, "scripts")
	// -exec takes words; the program that go run built has none with a space in it.
	test := exec.Command("go", append([]string{"test", "-short", "-count=1", "-p=1", "-parallel=1", "-timeout=45m", "-exec=" + self}, packages...)...)
	test.Env = append(os.Environ(), "RAPID_SEED=1", envNote+"="+note, "SMTLARK_TIMES="+scripts)
	test.Stderr = os.Stderr
	all := measure(test)
	all.name = "all tests, with what they are built of"
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	byPackage, err := readRows(note, root+string(filepath.Separator))
	if err != nil {
		return err
	}
	table("package", append(byPackage, all))
	if byScript, err := readRows(scripts, "script-"); err == nil {
		table("script", byScript)
	}
	return nil
}

// readRows reads the rows of a file, "WALL CPU [KERNEL] NAME".
func readRows(path, prefix string) (rows []row, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var r row
		words := strings.Fields(line)
		for i, into := range []*float64{&r.wall, &r.cpu, &r.kernel}[:len(words)-1] {
			if *into, err = strconv.ParseFloat(words[i], 64); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		r.name = strings.TrimPrefix(words[len(words)-1], prefix)
		rows = append(rows, r)
	}
	return rows, nil
}

// table prints rows, those with most processor time first, and the sum of those that take less than a second.
func table(title string, rows []row) {
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(b.cpu, a.cpu) })
	fmt.Printf("\n| %s | wall, s | CPU, s | kernel |\n|---|--:|--:|--:|\n", title)
	rest := row{}
	n := 0
	for _, r := range rows {
		if r.cpu < 1 {
			rest.wall, rest.cpu, rest.kernel = rest.wall+r.wall, rest.cpu+r.cpu, rest.kernel+r.kernel
			n++
			continue
		}
		r.print()
	}
	if n > 0 {
		rest.name = fmt.Sprintf("%d others", n)
		rest.print()
	}
}

func (r row) print() {
	share := ""
	if r.kernel > 0 {
		share = fmt.Sprintf("%.0f %%", 100*r.kernel/r.cpu)
	}
	fmt.Printf("| %s | %.1f | %.1f | %s |\n", r.name, r.wall, r.cpu, share)
}
