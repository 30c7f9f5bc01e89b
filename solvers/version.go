package solvers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
)

// CompareVersions orders versions: numbers in them by value, the rest as text.
func CompareVersions(a, b string) int {
	x, y := versionPart().FindAllString(a, -1), versionPart().FindAllString(b, -1)
	for i := range min(len(x), len(y)) {
		n, errN := strconv.ParseUint(x[i], 10, 64)
		m, errM := strconv.ParseUint(y[i], 10, 64)
		d := strings.Compare(x[i], y[i])
		switch {
		case errN == nil && errM == nil:
			d = cmp.Compare(n, m)
		case errN == nil: // 1.3.1 is newer than 1.3.rc
			d = 1
		case errM == nil:
			d = -1
		}
		if d != 0 {
			return d
		}
	}
	if len(x) != len(y) { // 1.3.1 is newer than 1.3, but 1.3-rc1 is older
		long, sign := x, 1
		if len(y) > len(x) {
			long, sign = y, -1
		}
		if _, err := strconv.ParseUint(long[min(len(x), len(y))], 10, 64); err != nil {
			sign = -sign
		}
		return sign
	}
	return strings.Compare(a, b)
}

var versionPart = pattern.Lazy(`\d+|[A-Za-z]+`)

// VersionRange is a range of the versions that were asked.
type VersionRange struct {
	First, Last string
	Count       int    // of the versions that were asked
	Next        string // the first version after it that was asked; "" if there is none
}

// String is FIRST to LAST, or the only version.
func (r VersionRange) String() string {
	if r.Count == 1 {
		return r.First
	}
	return r.First + " to " + r.Last
}

// VersionRanges returns the ranges of versions between which none of the others is, the oldest first.
func VersionRanges(versions, others []string) (ranges []VersionRange) {
	asked := slices.Concat(versions, others)
	slices.SortFunc(asked, CompareVersions)
	open := false
	for _, v := range slices.Compact(asked) {
		last := len(ranges) - 1
		switch is := slices.Contains(versions, v); {
		case is && open:
			ranges[last].Last = v
			ranges[last].Count++
		case is:
			ranges = append(ranges, VersionRange{First: v, Last: v, Count: 1})
			open = true
		case open:
			ranges[last].Next = v
			open = false
		}
	}
	return ranges
}
