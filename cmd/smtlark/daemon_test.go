//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smtlark/smtlark/engine/ground/system"
	"github.com/smtlark/smtlark/internal/processtest"
)

const daemonCampaign = `
fake = solver.profile(
    name = "fake", binaries = ["daemonsolver"], version_args = ["--version"], version = "version (\\S+)",
    modes = ["fresh", "incremental"], multiline_tokens = True, exit_codes = {"10": "ok"},
)
LIBRARY = setting("library", "")
MODE = setting("mode", "fresh")

# The width asks the library of testdata/faulty.c to leave a daemon.
BITS = smt.case("(set-logic QF_BV)(declare-const fault (_ BitVec 61))(assert (= fault fault))(check-sat)")
INTS = smt.case("(set-logic QF_LIA)(declare-const x Int)(set-info :status sat)(check-sat)")

campaign(
    technique = lambda seeds, rng: BITS if LIBRARY else INTS,
    targets = [solver(setting("kind", ""), path = LIBRARY, mode = "native") if LIBRARY else solver(fake, mode = MODE)],
)
`

// daemons counts the processes that were started with a setting in their environment, by whatever ways, and are none of
// smtlark's.
func daemons(setting, smtlark string) (n int) {
	for _, p := range system.Processes() {
		program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
		if system.Began(p.PID, setting) && (smtlark == "" || program != smtlark) {
			n++
		}
	}
	return n
}

// Solvers, as programs and as libraries, that leave processes which quit parent, group and session: none of these
// outlives the campaign, the worker that is killed, or the coordinator that is killed.
func TestDaemonsEnd(t *testing.T) {
	dir := fakeProject(t, "daemons.star", daemonCampaign)
	script := fmt.Sprintf("#!/bin/sh\n(setsid sh -c 'sleep 3600 & sleep 3600' > /dev/null 2>&1 < /dev/null &)\nexec '%s' \"$@\"\n", filepath.Join(dir, "bin", "fakesolver"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "daemonsolver"), []byte(script), 0o755))
	ways := map[string][]string{"fresh": {"--set", "mode=fresh"}, "incremental": {"--set", "mode=incremental"}}
	if compiler, err := exec.LookPath("cc"); err == nil {
		unpackedSolvers(t, dir)
		text, err := smtlarkIn(dir, "solvers", "--json").Output()
		require.NoError(t, err)
		var found []struct {
			Kind, Path, Unusable string
			Modes                []string
		}
		require.NoError(t, json.Unmarshal(text, &found))
		for _, s := range found {
			if s.Kind == "bitwuzla" && s.Unusable == "" && s.Modes[0] == "native" {
				ways["native"] = []string{"--set", "kind=bitwuzla", "--set", "library=" + faultyLibrary(t, compiler, filepath.Join(dir, "faulty"), s.Kind, s.Path)}
			}
		}
	}
	if ways["native"] == nil && os.Getenv("CI") == "true" {
		t.Error("a C compiler and libbitwuzla are required in CI")
	}
	for way, settings := range ways {
		start := func(name string, more ...string) (cmd *exec.Cmd, mark string, said *bytes.Buffer) {
			mark = fmt.Sprintf("SMTLARK_TEST_MARK=%d-%s-%s", os.Getpid(), way, name)
			cmd = smtlarkIn(dir, append(append([]string{"run", "daemons.star", "--seed", "1", "-j", "1", "-q", "--out", way + name}, settings...), more...)...)
			cmd.Env = append(cmd.Env, mark)
			said = &bytes.Buffer{}
			cmd.Stdout, cmd.Stderr = said, said
			require.NoError(t, cmd.Start())
			return cmd, mark, said
		}
		running := func(t *testing.T, cmd *exec.Cmd, mark string) {
			program := filepath.Join(dir, "smtlark")
			require.Eventually(t, func() bool { return len(children(cmd.Process.Pid)) > 0 && daemons(mark, program) > 1 }, time.Minute, time.Millisecond)
		}
		gone := func(t *testing.T, mark string) {
			require.Eventually(t, func() bool { return daemons(mark, "") == 0 }, time.Minute, 20*time.Millisecond)
		}
		t.Run(way+"/campaign ends", func(t *testing.T) {
			cmd, mark, said := start("ends", "--cases", "4")
			require.NoError(t, cmd.Wait(), said.String())
			require.Zero(t, daemons(mark, ""), "what is there after the end: %s", said)
		})
		t.Run(way+"/worker is killed", func(t *testing.T) {
			cmd, mark, said := start("worker")
			running(t, cmd, mark)
			for _, pid := range children(cmd.Process.Pid) {
				_ = processtest.KillProcess(pid)
			}
			running(t, cmd, mark) // of the worker in its place
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			_ = cmd.Wait()
			require.Zero(t, daemons(mark, ""), said)
		})
		t.Run(way+"/coordinator is killed", func(t *testing.T) {
			cmd, mark, _ := start("coordinator")
			running(t, cmd, mark)
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			gone(t, mark)
		})
	}
}

// A process started by the shell that smtlark replaced (`server & exec smtlark ...`) survives, with its later
// background processes. Background processes of solvers are ended nevertheless.
func TestInheritedChildrenLive(t *testing.T) {
	dir := fakeProject(t, "daemons.star", daemonCampaign)
	script := fmt.Sprintf("#!/bin/sh\n(setsid sleep 3600 > /dev/null 2>&1 < /dev/null &)\nexec '%s' \"$@\"\n", filepath.Join(dir, "bin", "fakesolver"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "daemonsolver"), []byte(script), 0o755))
	for verb, args := range map[string]string{"version": "version", "run": "run daemons.star --seed 1 -j 1 -q --cases 4"} {
		t.Run(verb, func(t *testing.T) {
			mark := fmt.Sprintf("SMTLARK_TEST_MARK=%d-inherited-%s", os.Getpid(), verb)
			// The server leaves a process behind while smtlark works.
			server := "{ sleep 0.2; (setsid sleep 3601 &); exec sleep 3602; } > /dev/null 2>&1 < /dev/null & echo $! > pid; "
			cmd := exec.Command("sh", "-c", server+"exec ./smtlark "+args)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "SMTLARK_SOLVERS="+filepath.Join(dir, "bin"), mark)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			text, err := os.ReadFile(filepath.Join(dir, "pid"))
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			require.NoError(t, err)
			require.True(t, system.Lives(pid), "the server is gone")
			require.Eventually(t, func() bool { return daemons(mark, "") == 2 }, time.Minute, 10*time.Millisecond)
			t.Cleanup(func() {
				for _, p := range system.Processes() {
					if system.Began(p.PID, mark) {
						_ = processtest.KillProcess(p.PID)
					}
				}
			})
		})
	}
}
