package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/smtlark/smtlark/cmd/smtlark/internal/command"
)

// TestCompletion completes command lines as the scripts of shells do, and has bash itself complete one.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		code, out, _ := runVerb("completion", shell)
		require.Equal(t, command.ExitOK, code)
		require.Contains(t, out, "__complete", shell)
	}
	code, _, errs := runVerb("completion", "csh")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, errs, "bash, fish, powershell, zsh")

	out := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(out, "findings"), os.DirFS("../../engine/results/store/testdata/recorded/findings")))
	code, _, errs = runVerb("findings", "import", filepath.Join(out, "findings"), "--out", out)
	require.Equal(t, command.ExitOK, code, errs)
	for line, want := range map[string]string{
		"ru": "run", "run --until": "--until-quiet", "report --format s": "sarif", "run --fail-on n": "new none", "findings me": "merge",
		"new ": "campaign mutator oracle solver", "help bis": "bisect", "completion f": "fish",
		"fuzz opf": "opfuzz", "fuzz a": "api ask", "check --solver gene": "generic",
		"findings set 1 inv --out " + out: "", "findings show --out " + out + " ": "1 flaky/1", "findings set --out " + out + " 1 inv": "invalid",
		"repro --out " + out + " fl": "flaky/1", "bisect --out " + out + " 1": "1", "solve --mode ca": "cached",
	} {
		given := strings.Split(line, " ")
		code, said, errs := runVerb(append([]string{"__complete"}, given...)...)
		require.Equal(t, command.ExitOK, code, "%s: %s", line, errs)
		var words []string
		for _, w := range strings.Split(strings.TrimSpace(said), "\n") {
			word, _, _ := strings.Cut(w, "\t")
			if strings.HasPrefix(word, given[len(given)-1]) && !strings.HasPrefix(word, ":") { // as the scripts choose
				words = append(words, word)
			}
		}
		require.Equal(t, want, strings.Join(words, " "), line)
	}

	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	_, script, _ := runVerb("completion", "bash")
	cmd := exec.Command(bash, "-c", script+`
_get_comp_words_by_ref() { # as the package bash-completion has it
	words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}
}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; __start_smtlark; echo "${COMPREPLY[@]}"`,
		"bash", "smtlark", "report", "--format", "s")
	text, err := cmd.Output() // compopt complains outside of a completion
	require.NoError(t, err, string(text))
	require.Equal(t, "sarif", strings.TrimSpace(string(text)))
}

// TestImages: what deploy/Dockerfile copies is there, or in a release (make dist); where a container engine runs and dist
// is there, both images are built and smtlark answers in them, as a user without rights.
func TestImages(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "deploy", "Dockerfile"))
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "tools", "fetch-solvers.sh"))
	require.Contains(t, string(text), "COPY tools/fetch-solvers.sh ")
	// The package that goreleaser names so.
	require.Contains(t, string(text), "COPY dist/smtlark_*_linux_${TARGETARCH}.deb ")
	require.Regexp(t, `(?m)^USER [1-9]`, string(text))
	notInGate(t)
	if exec.Command("docker", "info").Run() != nil {
		t.Skip("no container engine")
	}
	if packages, _ := filepath.Glob(filepath.Join(root, "dist", "*.deb")); packages == nil {
		t.Skip("make dist makes the package")
	}
	for _, target := range []string{"smtlark", "solvers"} {
		build := exec.Command("docker", "build", "-q", "-f", "deploy/Dockerfile", "--target", target, ".")
		build.Dir = root
		id, err := build.Output()
		require.NoError(t, err, target)
		out, err := exec.Command("docker", "run", "--rm", "--network", "none", strings.TrimSpace(string(id)), "solvers").CombinedOutput()
		require.NoError(t, err, "%s: %s", target, out)
	}
}

// TestManPages writes the manual pages; groff must find nothing to complain about.
func TestManPages(t *testing.T) {
	dir := t.TempDir()
	code, out, errs := runVerb("man", dir)
	require.Equal(t, command.ExitOK, code, errs)
	require.Contains(t, out, " pages in ")
	groff, _ := exec.LookPath("groff")
	for _, name := range append(command.Names(false), "") {
		page := "smtlark"
		if name != "" {
			page += "-" + name
		}
		path := filepath.Join(dir, page+".1")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, section := range []string{".TH " + strings.ToUpper(page) + " 1", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"} {
			require.Contains(t, string(text), section, page)
		}
		if groff != "" {
			said, err := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z", path).CombinedOutput()
			require.NoError(t, err)
			require.NotRegexp(t, `(?m)^\S*(error|macro)`, string(said), page)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "smtlark-run.1"))
	require.NoError(t, err)
	require.Contains(t, string(text), `\-\-fail\-on`)
}

// step is a step of a composite action.
type step struct {
	Name, ID, Uses, If, Shell, Run string
	Env, With                      map[string]string
}

// TestAction runs the shell steps of action.yml as a runner does: on a campaign of the library, with the solver that is
// here.
func TestAction(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    struct {
			Using string
			Steps []step
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &action))
	require.Equal(t, "composite", action.Runs.Using)
	guide, err := os.ReadFile("../../docs/ci.md")
	require.NoError(t, err)
	for name, input := range action.Inputs {
		require.NotEmpty(t, input.Description, name)
		require.Contains(t, string(guide), "| `"+name+"` |", "docs/ci.md tells of each input")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("no z3")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	given := map[string]string{"campaign": "storm", "for": "30s", "solvers": "false", "args": "--cases 3 --solver z3 -j 1 -q"}
	values := map[string]string{
		"github.action_path": root, "github.action_ref": "main", "github.action_repository": "smtlark/smtlark", "github.server_url": "https://github.com",
	}
	for name, input := range action.Inputs {
		values["inputs."+name] = input.Default
		if v, ok := given[name]; ok {
			values["inputs."+name] = v
		}
		require.False(t, input.Required && given[name] == "", name)
	}
	expression := regexp.MustCompile(`\$\{\{ *([a-z_.-]+) *\}\}`)
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(e string) string {
			name := expression.FindStringSubmatch(e)[1]
			v, ok := values[name]
			require.True(t, ok, "%s is no value of a runner", name)
			return v
		})
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"path", "env", "output", "summary"} {
		require.NoError(t, os.WriteFile(file(name), nil, 0o600))
	}
	read := func(name string) string {
		text, err := os.ReadFile(file(name))
		require.NoError(t, err)
		return strings.TrimSpace(string(text))
	}
	ran := 0
	for _, s := range action.Runs.Steps {
		for _, v := range s.With {
			expand(v)
		}
		if s.Uses != "" || s.If == "inputs.solvers == 'true'" {
			continue
		}
		require.Equal(t, "bash", s.Shell, s.Name)
		require.NotContains(t, s.Run, "${{", "what users give must not become part of a shell script")
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_PATH="+file("path"), "GITHUB_ENV="+file("env"), "GITHUB_OUTPUT="+file("output"), "GITHUB_STEP_SUMMARY="+file("summary"),
			"PATH="+read("path")+string(os.PathListSeparator)+os.Getenv("PATH"))
		for k, v := range s.Env {
			cmd.Env = append(cmd.Env, k+"="+expand(v))
		}
		out, err := cmd.CombinedOutput()
		cancel()
		if s.Name == "verdict" && read("output") != "code=0" {
			require.Error(t, err) // a real finding
		} else {
			require.NoError(t, err, "%s:\n%s", s.Name, out)
		}
		if s.ID == "run" {
			code, ok := strings.CutPrefix(read("output"), "code=")
			require.True(t, ok)
			require.Contains(t, []string{"0", "10", "11"}, code, "%s", out)
			values["steps.run.outputs.code"] = code
		}
		ran++
	}
	require.Equal(t, 4, ran)
	require.Contains(t, read("summary"), "storm")
	for _, name := range []string{"smtlark.sarif", "smtlark.xml", "smtlark.html"} {
		require.FileExists(t, filepath.Join(dir, "smtlark-out", name))
	}
	for _, o := range action.Outputs {
		expand(o.Value)
	}
}

// packedFile is a file of an archive or a package.
type packedFile struct{ Src string }

// TestReleaseConfiguration reads .goreleaser.yaml: the files that it builds and packs must exist.
func TestReleaseConfiguration(t *testing.T) {
	text, err := os.ReadFile("../../.goreleaser.yaml")
	require.NoError(t, err)
	var release struct {
		Version int
		Before  struct{ Hooks []string }
		Builds  []struct {
			Main, Binary        string
			Env, Flags, Ldflags []string
			Goos, Goarch        []string
			ModTimestamp        string `yaml:"mod_timestamp"`
		}
		Archives []struct{ Files []packedFile }
		Nfpms    []struct{ Contents []packedFile }
	}
	require.NoError(t, yaml.Unmarshal(text, &release))
	require.Equal(t, 2, release.Version)
	require.Len(t, release.Builds, 1)
	b := release.Builds[0]
	require.Equal(t, "./cmd/smtlark", b.Main)
	require.Contains(t, b.Env, "CGO_ENABLED=0")
	require.Equal(t, []string{"linux", "darwin", "windows"}, b.Goos)
	require.Equal(t, []string{"amd64", "arm64"}, b.Goarch)
	verb := regexp.MustCompile(`dist-extra/smtlark ([a-z]+)`)
	for _, hook := range release.Before.Hooks {
		for _, m := range verb.FindAllStringSubmatch(hook, -1) {
			require.Contains(t, command.Names(false), m[1], hook)
		}
	}
	for _, f := range slices.Concat(release.Archives[0].Files, release.Nfpms[0].Contents) {
		if !strings.HasPrefix(f.Src, "dist-extra/") {
			require.FileExists(t, filepath.Join("../..", f.Src))
		}
	}
}

// TestGoInstall installs the program as a user does, from a proxy that is a folder, and runs it where there is nothing
// of the source.
func TestGoInstall(t *testing.T) {
	notInGate(t) // it builds everything anew
	const module, release = "github.com/smtlark/smtlark", "v0.1.0"
	dir := t.TempDir()
	t.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", dir).Run() })
	versions := filepath.Join(dir, "proxy", module, "@v")
	require.NoError(t, os.MkdirAll(versions, 0o755))
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = "../.."
	files, err := list.Output()
	require.NoError(t, err)
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range strings.Split(strings.TrimRight(string(files), "\x00"), "\x00") {
		f, err := os.Open(filepath.Join("../..", name))
		if err != nil {
			continue // removed, and not committed yet
		}
		st, err := f.Stat()
		require.NoError(t, err)
		if st.Mode().IsRegular() {
			w, err := z.Create(module + "@" + release + "/" + name)
			require.NoError(t, err)
			_, err = io.Copy(w, f)
			require.NoError(t, err)
		}
		f.Close()
	}
	require.NoError(t, z.Close())
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	for name, data := range map[string]string{
		"list": release + "\n", release + ".mod": string(mod), release + ".zip": packed.String(), release + ".info": `{"Version":"` + release + `","Time":"2026-01-01T00:00:00Z"}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), []byte(data), 0o644))
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	install := exec.Command("go", "install", module+"/cmd/smtlark@latest")
	install.Dir = dir
	install.Env = append(os.Environ(), "GOPROXY=file://"+dir+"/proxy,file://"+strings.TrimSpace(string(cache))+"/cache/download", "GOSUMDB=off", "GONOPROXY=none", "GOPRIVATE=",
		"GOMODCACHE="+dir+"/mod", "GOBIN="+dir+"/bin", "GOFLAGS=-mod=mod -trimpath -modcacherw", "GOWORK=off", "CGO_ENABLED=0")
	out, err := install.CombinedOutput()
	require.NoError(t, err, "%s", out)

	smtlark := func(args ...string) string {
		cmd := exec.Command(filepath.Join(dir, "bin", "smtlark"), args...)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v:\n%s", args, out)
		return string(out)
	}
	require.Contains(t, smtlark("version"), "smtlark "+release+" (")
	require.Contains(t, smtlark("fuzz", "storm", "--cases", "2", "-j", "1", "-q", "--solver", "z3", "--fail-on", "none"), "2 cases in")
}

// TestRevision tells the commit, its day, and whether files were changed.
func TestRevision(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"},
		{Key: "vcs.time", Value: "2026-11-30T17:04:05Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	require.Equal(t, command.Revision{Commit: "0123456789ab", Day: "2026-11-30", Changed: true}, command.RevisionOf(info))
	require.Empty(t, command.RevisionOf(&debug.BuildInfo{}))
	_, out, _ := runVerb("version")
	require.Regexp(t, `^smtlark \S+ \((commit [0-9a-f]{12}( of [0-9-]{10})?( with changes)?, )?go\S+ \S+/\S+\)\n$`, out)
}

// TestFilesToStartFrom lets the tests of what smtlark new writes run with every solver that is here.
func TestFilesToStartFrom(t *testing.T) {
	dir := fakeProject(t, "unused.star", "")
	unpackedSolvers(t, dir)
	for _, kind := range []string{"campaign", "mutator", "oracle", "solver"} {
		code, said := runCode(t, smtlarkIn(dir, "new", kind))
		require.Equal(t, command.ExitOK, code, said)
		code, said = runCode(t, smtlarkIn(dir, "test", kind+".star"))
		if strings.Contains(said, "no usable z3") && os.Getenv("CI") != "true" {
			t.Skip("no z3")
		}
		require.Equal(t, command.ExitOK, code, "%s: %s", kind, said)
	}
}
