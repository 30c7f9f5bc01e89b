package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smtlark/smtlark/engine/generate/api"
	"github.com/smtlark/smtlark/solvers/declared"
	"github.com/smtlark/smtlark/solvers/learn"
)

// singles remembers settings one at a time while the process lives, by the targets.
var singles = struct {
	sync.Mutex
	m map[string]*DeclaredSettings
}{m: map[string]*DeclaredSettings{}}

// DeclaredSettings are the settings of all options that some targets declare, one at a time.
type DeclaredSettings struct {
	*api.Singles
	targets []*Solver
	mu      sync.Mutex
	refused map[int]bool // by the number of a setting that the targets were asked about
}

// Singles returns the settings of all options that some targets declare, one at a time: those of the first program among them that lists its options,
// else of the first library, and those of the profile. A program is asked once; the user's cache folder remembers what it says. Targets of several
// products have none in common: nil.
func Singles(ctx context.Context, targets []*Solver, cache *learn.Cache) (*DeclaredSettings, error) {
	targets = Plain(targets)
	if len(targets) == 0 || slices.ContainsFunc(targets, func(s *Solver) bool { return s.configured() != targets[0].configured() }) {
		return nil, nil
	}
	key := keyOf(targets, (*Solver).SameAs)
	singles.Lock()
	defer singles.Unlock()
	if known := singles.m[key]; known != nil {
		return known, nil
	}
	var lines []string
	var err error
	if i := slices.IndexFunc(targets, func(s *Solver) bool { return declared.Has(s.Found) }); i >= 0 {
		lines, err = declaredLines(ctx, targets[i], cache)
	} else if i := slices.IndexFunc(targets, func(s *Solver) bool { return s.Found.Library != "" }); i >= 0 {
		lines, err = LibraryOptions(targets[i].Found)
	}
	if err != nil {
		return nil, fmt.Errorf("asking which options there are: %w", err)
	}
	lines = slices.Concat(lines, targets[0].Found.Profile.APIOptions)
	var specs []api.OptionSpec
	for _, line := range lines {
		o, err := api.ParseOption(line)
		if err != nil {
			return nil, err
		}
		specs = append(specs, o)
	}
	out := &DeclaredSettings{Singles: api.NewSingles(targets[0].configured(), specs), targets: targets, refused: map[int]bool{}}
	singles.m[key] = out
	return out, nil
}

// configured is the product with the options that it is given of its own.
func (s *Solver) configured() string {
	return strings.Join(append([]string{s.Product()}, s.Options()...), " ")
}

// declaredLines are the options that a program declares with all values but their defaults, as lines of a profile's api_options.
func declaredLines(ctx context.Context, s *Solver, cache *learn.Cache) (lines []string, err error) {
	text, err := cache.Once("declared options 1\x00"+s.Stamp(), func() (string, error) {
		list, err := declared.Options(ctx, s.Found)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(list)
		return string(text), err
	})
	if err != nil {
		return nil, err
	}
	var list []declared.Option
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, fmt.Errorf("what was remembered of options cannot be read, delete the cache folder: %w", err)
	}
	for i := range list {
		o := &list[i]
		if o.Values = o.Others(); len(o.Values) > 0 {
			lines = append(lines, o.ListLine())
		}
	}
	return lines, nil
}

// Takes reports whether all targets take a setting. They are asked about its group at once, and the user's cache folder remembers the replies.
func (d *DeclaredSettings) Takes(ctx context.Context, number int, cache *learn.Cache) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if refused, asked := d.refused[number]; asked {
		return !refused, nil
	}
	group := d.Group(number)
	key := "taken settings 2\x00" + keyOf(d.targets, (*Solver).Stamp)
	for _, n := range group {
		key += fmt.Sprint(d.Set(n))
	}
	text, err := cache.Once(key, func() (string, error) {
		refused, err := refusedOf(ctx, d.targets, d.Singles, group)
		return fmt.Sprint(refused), err
	})
	if err != nil {
		return false, fmt.Errorf("asking which options are taken: %w", err)
	}
	refused := strings.Fields(strings.Trim(text, "[]"))
	for _, n := range group {
		d.refused[n] = slices.Contains(refused, strconv.Itoa(n))
	}
	return !d.refused[number], nil
}

// refusedOf asks targets about settings, behind the first of the optionProbes that they take without any, and returns the numbers of those that one of
// them does not take alone. Where they take no probe, none is refused.
func refusedOf(ctx context.Context, targets []*Solver, of *api.Singles, numbers []int) (refused []int, err error) {
	interviews, closeAll := interviewsOf(targets)
	defer closeAll()
	probe, err := probeTaken(ctx, interviews)
	if err != nil || probe == "" {
		return nil, err
	}
	takes := func(set []api.Setting) (bool, error) {
		return allTake(ctx, interviews, append([]api.Setting{{Name: "produce-models", Value: "true"}}, set...), probe) // oracles ask for models
	}
	// Most are taken, also one behind the other; where they are not, halves tell which are not taken alone.
	learn.Halve(numbers, func(part []int) ([]int, bool) {
		var set []api.Setting
		for _, n := range part {
			set = append(set, of.Set(n)...)
		}
		ok, failed := takes(set)
		err = errors.Join(err, failed)
		return part, !ok && err == nil
	}, func(n int) { refused = append(refused, n) })
	return refused, err
}
