//go:build linux && (amd64 || arm64)

package backtrace

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "trace-child" {
		exit, err := Trace(os.Args[2], os.Args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			exit = 1
		}
		os.Exit(exit)
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	Self = []string{exe, "trace-child"}
	os.Exit(m.Run())
}

// faulty is a program that dies in the way that its argument says.
const faulty = `
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
#define OWN __attribute__((noinline))
OWN int inner(volatile int *p) { *p = 1; return *p + 1; }
OWN int nothing(const char *how) {
  int (*volatile f)(void) = 0;
  return f() + how[0];
}
OWN int compare(const void *a, const void *b) { return *(const volatile int *)8 + *(const int *)a; }
OWN int sorted(void) { int x[3] = {3, 2, 1}; qsort(x, 3, sizeof *x, compare); return x[0]; }
OWN int deep(volatile int n) { volatile char pad[512]; pad[n % 512] = 1; return deep(n + 1) + pad[7]; }
OWN void *thread(void *p) { inner(0); return p; }
static void handler(int s) { abort(); }
OWN int middle(const char *how) {
  char pad[64];
  snprintf(pad, sizeof pad, "%s", how);
  if (!strcmp(how, "null")) return nothing(how) + 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "compare")) return sorted() + pad[0];
  if (!strcmp(how, "deep")) return deep(0) + pad[0];
  if (!strcmp(how, "thread")) { pthread_t t; pthread_create(&t, 0, thread, 0); pthread_join(t, 0); }
  if (!strcmp(how, "handler")) signal(SIGSEGV, handler);
  if (!strcmp(how, "child") && fork() == 0) abort();
  if (!strcmp(how, "child") || !strcmp(how, "fine")) return 0;
  return inner(0) + pad[0];
}
int main(int argc, char **argv) { return middle(argv[1]) == 12345; }
`

// compiled builds the program with further arguments of the compiler.
func compiled(t *testing.T, args ...string) string {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	dir := t.TempDir()
	src, exe := filepath.Join(dir, "faulty.c"), filepath.Join(dir, "faulty")
	require.NoError(t, os.WriteFile(src, []byte(faulty), 0o600))
	out, err := exec.Command(gcc, append([]string{"-w", "-o", exe, src, "-lpthread"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return exe
}

// watched runs a command under an observation.
func watched(t *testing.T, argv ...string) *CallStack {
	ctx, seen := Observe(context.Background())
	argv, w := Command(ctx, argv, t.TempDir())
	require.NotNil(t, w)
	out, _ := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	w.Collect()
	s := seen.Stack()
	if s != nil && len(s.Frames) == 0 {
		t.Log(string(out))
	}
	return s
}

// functionsIn returns the names of the frames of a program.
func functionsIn(s *CallStack, module string) (names []string) {
	for i := range s.Frames {
		if s.Frames[i].Module == module {
			names = append(names, s.Frames[i].Function)
		}
	}
	return names
}

// TestStacks: whatever way a program dies in, the functions that were active are told.
func TestStacks(t *testing.T) {
	for _, flags := range [][]string{{"-O0"}, {"-O2"}, {"-O2", "-fomit-frame-pointer", "-g"}, {"-O2", "-static"}} {
		exe := compiled(t, flags...)
		for how, want := range map[string]struct{ signal, frames string }{
			"segv": {"SIGSEGV", "inner middle main"}, "abort": {"SIGABRT", "middle main"}, "null": {"SIGSEGV", "nothing middle main"},
			"compare": {"SIGSEGV", "compare sorted middle main"}, "handler": {"SIGSEGV", "inner middle main"},
		} {
			t.Run(strings.Join(flags, "")+"/"+how, func(t *testing.T) {
				s := watched(t, exe, how)
				require.NotNil(t, s)
				require.Equal(t, want.signal, s.Signal)
				var names []string
				for _, n := range functionsIn(s, "faulty") {
					if strings.Contains(" "+want.frames+" ", " "+n+" ") { // a static program has the C library's as well
						names = append(names, n)
					}
				}
				require.Equal(t, want.frames, strings.Join(names, " "), s.String())
				require.Equal(t, s.String(), watched(t, exe, how).String(), "addresses are other ones in every run")
			})
		}
		s := watched(t, exe, "thread")
		require.Equal(t, []string{"inner", "thread"}, functionsIn(s, "faulty")[:2], s.String())
		s = watched(t, exe, "deep")
		require.Equal(t, []string{"deep"}, s.Recursion(), s.String())
		require.Nil(t, watched(t, exe, "fine"))
	}
	exe := compiled(t, "-O2", "-g")
	s := watched(t, exe, "segv")
	require.Equal(t, "faulty.c", filepath.Base(s.Frames[0].File))
	require.Equal(t, 9, s.Frames[0].Line, s.String())
}

// TestNoSymbols: a function without a name is known by its file, its build and where it begins.
func TestNoSymbols(t *testing.T) {
	exe := compiled(t, "-O2", "-s", "-Wl,--build-id=0x0123456789abcdef")
	s := watched(t, exe, "segv")
	require.NotNil(t, s)
	require.Regexp(t, `^faulty@01234567\+0x[0-9a-f]+$`, s.Frames[0].Name())
	require.NotEqual(t, s.Frames[0].Name(), s.Frames[1].Name())
	require.Equal(t, s.String(), watched(t, exe, "segv").String())
	require.NotEqual(t, s.Frames[0].Start, watched(t, exe, "abort").Frames[0].Start)
}

var framesOfGDB = regexp.MustCompile(`(?m)^#\d+ +(?:0x[0-9a-f]+ in )?(\S+)`)

// TestAgainstGDB: the same functions in the same order as a debugger says.
func TestAgainstGDB(t *testing.T) {
	gdb, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("no gdb here")
	}
	for _, flags := range [][]string{{"-O0"}, {"-O2"}} {
		exe := compiled(t, flags...)
		for _, how := range []string{"segv", "compare", "null"} {
			out, err := exec.Command(gdb, "-nx", "-batch", "-ex", "run", "-ex", "bt", "--args", exe, how).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "#0") {
				t.Skipf("gdb does not work here: %v\n%s", err, out)
			}
			var theirs, ours []string
			for _, m := range framesOfGDB.FindAllStringSubmatch(string(out), -1) {
				if m[1] != "??" {
					theirs = append(theirs, m[1])
				}
			}
			s := watched(t, exe, how)
			for i := range s.Frames {
				if f := s.Frames[i].Function; f != "" {
					ours = append(ours, f)
				}
			}
			// Debuggers end at main, and know more names of the C library where its debugging information is installed.
			ours, theirs = named(ours), named(theirs)
			require.Equal(t, theirs, ours, "%s\n%s", out, s)
		}
	}
}

func named(list []string) (out []string) {
	for _, n := range list {
		if strings.Contains(" inner nothing compare sorted middle main ", " "+n+" ") {
			out = append(out, n)
		}
	}
	return out
}

// TestBrokenFiles: files that are none, and stacks that lead nowhere, end the stack.
func TestBrokenFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"", "\x7fELF", "\x7fELF\x02\x01\x01" + strings.Repeat("\xff", 200)} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		d := &dump{Signal: "SIGSEGV", PC: 0x1000, Base: 0x2000, Stack: make([]byte, 64), Registers: map[uint64]uint64{7: 0x2000, 16: 0x1000},
			Maps: []mapping{{Start: 0x1000, End: 0x2000, Executable: true, Path: path}}}
		s := d.Unwind()
		require.Len(t, s.Frames, 1)
		require.Equal(t, "??", s.Frames[0].Name())
	}
	exe := compiled(t, "-O2")
	data, err := os.ReadFile(exe)
	require.NoError(t, err)
	for i := 64; i < len(data); i += len(data) / 40 { // whatever is broken, nothing panics
		broken := append([]byte{}, data...)
		for j := range min(32, len(data)-i) {
			broken[i+j] ^= 0xa5
		}
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		(&dump{PC: 0x1040, Base: 0x2000, Stack: make([]byte, 64), Registers: map[uint64]uint64{7: 0x2000},
			Maps: []mapping{{Start: 0, End: 0x100000, Executable: true, Path: path}}}).Unwind()
	}
}
