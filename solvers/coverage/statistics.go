package coverage

import (
	"bytes"
	"hash/fnv"
	"iter"
	"strings"
)

// StatisticsSize is the number of pseudo-edges for the statistics of a solver: each counter is the edge with the number
// that its name hashes to.
const StatisticsSize = 1 << 14

// OfStatistics returns the counters of a reply to (get-info :all-statistics) that are not 0 as edges, to stand in where
// a solver counts no edges of its own. The bucket of a counter is its class of 1, 2 to 3, 4 to 15, 16 to 63, 64 to 255,
// 256 to 1023, 1024 to 8191, and more. It leaves out values that differ from run to run: numbers with a point, and
// counters whose names refer to time, memory or resources. Counters reads the reply.
func OfStatistics(reply []byte) *Taken {
	words := make([]uint64, StatisticsSize/wordEdges)
	for name, number := range Counters(reply) {
		class := classOf(number)
		if class < 0 || isCost(name) {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(name))
		n := h.Sum32() % StatisticsSize
		words[n/wordEdges] |= 1 << (n%wordEdges*8 + uint32(class))
	}
	t := &Taken{}
	for at, w := range words {
		if w != 0 {
			t.read.at, t.read.words = append(t.read.at, uint32(at)), append(t.read.words, w)
		}
	}
	return t
}

// classOf returns the class of a whole number; -1 for 0 and for other texts.
func classOf(number []byte) int {
	n := 0
	for _, c := range number {
		if c < '0' || c > '9' {
			return -1
		}
		n = min(10*n+int(c-'0'), 1<<20)
	}
	if n == 0 {
		return -1
	}
	class := 0
	for _, least := range []int{2, 4, 16, 64, 256, 1024, 8192} {
		if n >= least {
			class++
		}
	}
	return class
}

// isCost reports whether a statistic measures the cost of a run, which varies between runs.
func isCost(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"time", "mem", "alloc", "rlimit", "resource"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Counters yields the names and numbers (as text) in a reply to (get-info :all-statistics), or in statistics that a
// solver prints beside its answers. Solvers write lists of :name 7 or ("name" 7), and histograms as ("name" { A: 7, B:
// 2 }), whose names are then "name A:" and "name B:".
func Counters(reply []byte) iter.Seq2[string, []byte] {
	return func(yield func(name string, number []byte) bool) {
		list, name := "", "" // name is the owner of the number that comes next, list the owner of the names of a histogram
		for len(reply) > 0 {
			switch c := reply[0]; {
			case c <= ' ' || bytes.IndexByte([]byte("(){},"), c) >= 0:
				reply = reply[1:]
			case c == '"':
				text, rest, _ := bytes.Cut(reply[1:], []byte{'"'})
				list, name, reply = string(text), string(text), rest
			default:
				end := bytes.IndexAny(reply, " \t\r\n(){},\"")
				if end < 0 {
					end = len(reply)
				}
				word := reply[:end]
				reply = reply[end:]
				switch {
				case word[0] == ':':
					list, name = "", string(word[1:])
				case word[len(word)-1] == ':':
					name = list + " " + string(word)
				default:
					if name != "" && !yield(name, word) {
						return
					}
					name = ""
				}
			}
		}
	}
}
