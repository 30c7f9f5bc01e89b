package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// composition is the part of deploy/compose.yaml that the test checks.
type composition struct {
	Services map[string]struct {
		Image       string
		Command     []string
		Environment map[string]string
		Volumes     []string
		Deploy      struct{ Replicas int }
	}
	Volumes map[string]any
}

// TestComposition runs the commands of deploy/compose.yaml as plain processes: three servers, a coordinator, and
// machines that join.
func TestComposition(t *testing.T) {
	notInGate(t) // TestDeployedServer of engine/campaign has one server with this configuration
	text, err := os.ReadFile("../../deploy/compose.yaml")
	require.NoError(t, err)
	var c composition
	require.NoError(t, yaml.Unmarshal(text, &c))
	dir := t.TempDir()
	program := filepath.Join(dir, "nats-server")
	out, err := exec.Command("go", "build", "-o", program, "github.com/nats-io/nats-server/v2").CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("smtlark", "cluster", "keys", filepath.Join(dir, "keys")).CombinedOutput()
	require.NoError(t, err, string(out))
	campaign := filepath.Join(dir, "campaign")
	require.NoError(t, os.MkdirAll(campaign, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(campaign, "liar"), []byte("#!/bin/sh\n[ \"$1\" = --version ] && echo liar 1.0 && exit\nif grep -q '= x 7' \"$1\"; then echo unsat; else echo sat; fi\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(campaign, "campaign.star"), []byte(`
liar = solver.profile(name = "liar", binaries = ["liar"], version_args = ["--version"], version = "liar ([0-9.]+)", modes = ["fresh"])
def technique(seeds, rng):
    """Asks for a number."""
    return smt.case("(set-logic QF_LIA)(declare-const x Int)(assert (= x %d))(set-info :status sat)(check-sat)" % rng.int(0, 9))
campaign(technique = technique, targets = solver(liar), stop = stop.cases(200))
`), 0o644))
	config, err := os.ReadFile("../../deploy/nats.conf")
	require.NoError(t, err)

	servers := []string{"nats-0", "nats-1", "nats-2"}
	var here []string // what stands for an address in the files
	ports := map[string]string{}
	for _, name := range servers {
		for _, port := range []string{"4222", "6222", "8222"} {
			ports[name+":"+port] = freeAddress(t)
			here = append(here, name+".nats:"+port, ports[name+":"+port])
		}
	}
	here = append(here, "/etc/smtlark/keys", filepath.Join(dir, "keys"), "/var/cache/smtlark", filepath.Join(dir, "cache"))
	start := func(name, program string, args []string, env ...string) (*exec.Cmd, *strings.Builder) {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "PATH="+campaign+string(os.PathListSeparator)+os.Getenv("PATH"))
		cmd.Env = append(cmd.Env, env...)
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Start(), name)
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if t.Failed() {
				t.Log(name, said.String())
			}
		})
		return cmd, &said
	}
	for _, name := range servers {
		s := c.Services[name]
		require.Equal(t, name, s.Environment["SERVER_NAME"])
		require.Contains(t, c.Volumes, name)
		file := filepath.Join(dir, name+".conf")
		local := strings.NewReplacer(append(slices.Clone(here), "0.0.0.0:4222", ports[name+":4222"], "0.0.0.0:6222", ports[name+":6222"], "127.0.0.1:8222", ports[name+":8222"],
			"/var/lib/smtlark-nats", filepath.Join(dir, name))...)
		require.NoError(t, os.WriteFile(file, []byte(local.Replace(string(config))), 0o600))
		require.Equal(t, []string{"-c", "/etc/smtlark/nats.conf"}, s.Command)
		start(name, program, []string{"-c", file}, "SERVER_NAME="+name)
	}
	local := strings.NewReplacer(here...)
	args := func(service string) (out []string) {
		for _, x := range c.Services[service].Command {
			if rest, ok := strings.CutPrefix(x, "/campaign"); ok {
				x = campaign + rest
			}
			out = append(out, local.Replace(x))
		}
		return append(out, "--trust")
	}
	up := func(name string) bool {
		conn, err := net.Dial("tcp", ports[name+":4222"])
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	require.Eventually(t, func() bool { return up("nats-0") && up("nats-1") && up("nats-2") }, time.Minute, 50*time.Millisecond)
	for _, name := range servers {
		knock(t, ports[name+":6222"])
	}
	for i := range c.Services["machine"].Deploy.Replicas {
		start(fmt.Sprint("machine ", i), "smtlark", args("machine"))
	}
	coordinator, said := start("coordinator", "smtlark", args("coordinator"))
	require.NoError(t, coordinator.Wait())
	require.Regexp(t, `200 cases`, said.String())
	require.Regexp(t, `findings: 1 new`, said.String())
	require.Regexp(t, `has joined with \d+ workers`, said.String())
}

// knock tries to get in where servers talk with each other, as a server without a certificate: by plain text, and by
// TLS.
func knock(t *testing.T, address string) {
	t.Helper()
	for _, secret := range []bool{false, true} {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
		said := bufio.NewReader(conn)
		greeting, err := said.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, greeting, `"tls_required":true`)
		var talk io.ReadWriter = conn
		if secret {
			talk = tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // a stranger does not care whom he talks with
		}
		_, _ = fmt.Fprintf(talk, "CONNECT {\"name\":\"stranger\",\"cluster\":\"smtlark\",\"tls_required\":%v}\r\nINFO {\"server_id\":\"STRANGER\",\"cluster\":\"smtlark\"}\r\nPING\r\n", secret)
		heard, err := io.ReadAll(io.LimitReader(talk, 1<<20))
		require.False(t, errors.Is(err, os.ErrDeadlineExceeded), "the server keeps the stranger: %q", heard)
		for _, word := range []string{"RS+", "LS+", "PONG", "RMSG", "INFO"} {
			require.NotContains(t, string(heard), word)
		}
	}
}

// freeAddress returns an address of the loopback that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// object is a Kubernetes object, as far as the test looks at it.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Selector       any
		Template       podTemplate
		Claims         []object          `yaml:"volumeClaimTemplates"`
		Ports          []map[string]any  `yaml:"ports"`
		ScaleTargetRef map[string]string `yaml:"scaleTargetRef"`
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		SecurityContext map[string]any `yaml:"securityContext"`
		Containers      []struct {
			Name, Image  string
			Args         []string
			Resources    map[string]map[string]string
			VolumeMounts []struct{ Name, MountPath string } `yaml:"volumeMounts"`
		}
		Volumes []map[string]any
	}
}

// TestManifests: the manifests of Kubernetes are whole, and have the commands of the composition, which TestComposition
// runs.
func TestManifests(t *testing.T) {
	text, err := os.ReadFile("../../deploy/compose.yaml")
	require.NoError(t, err)
	var c composition
	require.NoError(t, yaml.Unmarshal(text, &c))
	kinds := map[string]string{"Service": "v1", "PersistentVolumeClaim": "v1", "StatefulSet": "apps/v1", "Deployment": "apps/v1", "Job": "batch/v1", "ScaledObject": "keda.sh/v1alpha1", "NetworkPolicy": "networking.k8s.io/v1"}
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	require.NoError(t, err)
	commands, names, scaled := map[string][]string{}, map[string]bool{}, []string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(text), "\n---\n") {
			var o object
			require.NoError(t, yaml.Unmarshal([]byte(part), &o), file)
			require.Equal(t, kinds[o.Kind], o.APIVersion, "%s: %s", file, o.Kind)
			require.NotEmpty(t, o.Metadata.Name, file)
			names[o.Kind+" "+o.Metadata.Name] = true
			if name := o.Spec.ScaleTargetRef["name"]; name != "" {
				scaled = append(scaled, "Deployment "+name)
			}
			pod := o.Spec.Template
			if pod.Spec.Containers == nil {
				continue
			}
			if o.Kind != "Job" { // which makes its own
				require.Equal(t, map[string]any{"matchLabels": map[string]any{"app": pod.Metadata.Labels["app"]}}, o.Spec.Selector, file)
			}
			require.Equal(t, true, pod.Spec.SecurityContext["runAsNonRoot"], file)
			var volumes []string
			for _, v := range pod.Spec.Volumes {
				volumes = append(volumes, v["name"].(string))
			}
			for _, claim := range o.Spec.Claims {
				volumes = append(volumes, claim.Metadata.Name)
			}
			for _, x := range pod.Spec.Containers {
				commands[x.Name] = x.Args
				require.NotEmpty(t, x.Resources["limits"]["memory"], file)
				for _, m := range x.VolumeMounts {
					require.Contains(t, volumes, m.Name, file)
				}
			}
		}
	}
	for _, s := range scaled {
		require.Contains(t, names, s)
	}
	require.Equal(t, c.Services["nats-0"].Command, commands["nats"])
	require.Equal(t, append(slices.Clone(c.Services["machine"].Command), "-j", "4"), commands["machine"])
	coordinator := strings.ReplaceAll(strings.Join(c.Services["coordinator"].Command, " "), "/campaign/out", "/out")
	require.Equal(t, coordinator, strings.Join(commands["coordinator"], " "))
}
