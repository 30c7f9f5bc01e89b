package begin

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/smtlark/smtlark/engine/ground/system"
)

// TestBegin starts this program with little address space: its threads share a malloc arena, and processes that it
// starts see the original environment.
func TestBegin(t *testing.T) {
	if system.RaceDetector {
		t.Skip("the race detector reserves more")
	}
	const child = "SMTLARK_TEST_CHILD"
	if os.Getenv(child) != "" {
		own, err := os.ReadFile("/proc/self/environ") // as the program began
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(own), "MALLOC_ARENA_MAX=1\x00") {
			t.Error("the program has not begun again")
		}
		out, err := exec.Command("sh", "-c", "ulimit -Sv; ulimit -Ss; env").Output()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("child: %s\n", strings.Fields(string(out))[:2])
		for _, name := range []string{"MALLOC_ARENA_MAX", "GOMAXPROCS", variable} {
			if strings.Contains(string(out), name+"=") {
				t.Errorf("what the program starts has %s in its environment", name)
			}
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -Ss 4096; ulimit -Sv 3000000; exec "$0" -test.run TestBegin`, self)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOMAXPROCS=") && !strings.HasPrefix(v, "MALLOC_ARENA_MAX=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "child: [3000000 4096]") {
		t.Errorf("%v\n%s", err, out)
	}
}
