// Command licences copies the licence texts of what is linked into smtlark.
//
//	go run ./tools/licences FOLDER   writes FOLDER/MODULE/LICENSE and the like, of each module and of Go itself
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/licences FOLDER")
		os.Exit(64)
	}
	if err := collect(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// systems are those that releases are built for.
var systems = []string{"linux", "darwin", "windows"}

// text matches the names of files that hold a licence, or what a licence wants to be passed on.
var text = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// collect copies the licence texts of all linked modules and of Go itself into folders of their names. A module without
// one is an error: nobody may then pass it on.
func collect(to string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	folders := map[string]string{"go-" + strings.TrimPrefix(runtime.Version(), "go"): strings.TrimSpace(string(root))}
	for _, system := range systems {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/smtlark")
		cmd.Env, cmd.Stderr = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				folders[module] = dir
			}
		}
	}
	for module, from := range folders {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() || !text.MatchString(e.Name()) })
		if len(entries) == 0 {
			return fmt.Errorf("%s: no licence in %s", module, from)
		}
		folder := filepath.Join(to, filepath.FromSlash(module))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, e := range entries {
			content, err := os.ReadFile(filepath.Join(from, e.Name()))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, e.Name()), content, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
