package smt

import (
	"fmt"
	"slices"
	"strings"
)

// Description is a text about the operator for documents: its signatures, how many arguments it takes, and further
// remarks.
func (i *OpInfo) Description() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The operator `%s`", i.Name)
	if len(i.Solvers) > 0 {
		fmt.Fprintf(&b, " of %s", strings.Join(i.Solvers, ", "))
	}
	b.WriteString(": ")
	for k, sig := range i.Signatures {
		if k > 0 {
			b.WriteString(", or ")
		}
		fmt.Fprintf(&b, "`%s`", sig)
	}
	b.WriteString(". " + i.arity())
	if i.Doc != "" {
		b.WriteString(" " + strings.ToUpper(i.Doc[:1]) + i.Doc[1:] + ".")
	}
	return b.String()
}

// arity says in a sentence how many arguments and indices the operator takes.
func (i *OpInfo) arity() string {
	var args, indices []int
	for k := range i.Signatures {
		sig := i.Signature(k)
		args, indices = append(args, len(sig.Args)), append(indices, len(sig.Indices))
	}
	text := "Takes " + rangeOf(args, "argument", "arguments")
	if i.Assoc != AssocNone {
		text = fmt.Sprintf("Takes %s or more (%s)", rangeOf([]int{slices.Min(args)}, "argument", "arguments"), i.Assoc)
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
