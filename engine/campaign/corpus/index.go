package corpus

// Index has the logic and status of the seeds of a corpus, so that seeds with a given logic and status can be drawn
// without a search through all seeds.
type Index struct {
	logics []string
	fit    map[[2]string][]int // by logic ("any" for any) and status ("" for unknown): numbers of seeds
}

// NewIndex reads the heads of all seeds. Those that cannot be read are in no list.
func NewIndex(c *Corpus) *Index {
	x := &Index{fit: map[[2]string][]int{}}
	for i, src := range c.Seeds() {
		text, err := src.Read()
		if err != nil {
			x.logics = append(x.logics, "")
			continue
		}
		logic, status := labelInfo(src, text)
		if status != "sat" && status != "unsat" {
			status = ""
		}
		x.logics = append(x.logics, logic)
		for _, l := range []string{"any", logic} {
			x.fit[[2]string{l, status}] = append(x.fit[[2]string{l, status}], i)
		}
	}
	return x
}

// Logic returns the logic of a seed by its number.
func (x *Index) Logic(i int) string { return x.logics[i] }

// Draw returns the number of a seed with the logic ("any" for any) and one of the statuses; -1 if there is none.
func (x *Index) Draw(intn func(int) int, logic string, statuses []string) int {
	n := 0
	for _, s := range statuses {
		n += len(x.fit[[2]string{logic, s}])
	}
	if n == 0 {
		return -1
	}
	i := intn(n)
	for _, s := range statuses {
		list := x.fit[[2]string{logic, s}]
		if i < len(list) {
			return list[i]
		}
		i -= len(list)
	}
	return -1
}
