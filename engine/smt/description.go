package smt

import (
	"fmt"
	"slices"
	"strings"
)

// Description is a text about the operator for documents: its signatures, how many arguments it takes, and what else there is to say.
func (info *OpInfo) Description() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The operator `%s`", info.Name)
	if len(info.Solvers) > 0 {
		fmt.Fprintf(&b, " of %s", strings.Join(info.Solvers, ", "))
	}
	b.WriteString(": ")
	for i, sig := range info.Signatures {
		if i > 0 {
			b.WriteString(", or ")
		}
		fmt.Fprintf(&b, "`%s`", sig)
	}
	b.WriteString(". " + info.arity())
	if info.Doc != "" {
		b.WriteString(" " + strings.ToUpper(info.Doc[:1]) + info.Doc[1:] + ".")
	}
	return b.String()
}

// arity says in a sentence how many arguments and indices the operator takes.
func (info *OpInfo) arity() string {
	var args, indices []int
	for i := range info.Signatures {
		sig := info.Signature(i)
		args, indices = append(args, len(sig.Args)), append(indices, len(sig.Indices))
	}
	text := "Takes " + rangeOf(args, "argument", "arguments")
	if info.Assoc != AssocNone {
		text = fmt.Sprintf("Takes %s or more (%s)", rangeOf([]int{slices.Min(args)}, "argument", "arguments"), info.Assoc)
	}
	if slices.Max(indices) > 0 {
		text += " after " + rangeOf(indices, "index", "indices")
	}
	return text + "."
}

// rangeOf says how many of something there are, from the least to the most.
func rangeOf(counts []int, one, many string) string {
	least, most := slices.Min(counts), slices.Max(counts)
	switch {
	case most == 0:
		return "no " + many
	case least == most && most == 1:
		return "one " + one
	case least == most:
		return fmt.Sprintf("%d %s", most, many)
	}
	return fmt.Sprintf("%d to %d %s", least, most, many)
}
