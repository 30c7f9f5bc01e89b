package api

import (
	"fmt"
	"strings"
)

// total is the sum of the weights of a state's transitions.
func (s *State) total() float64 {
	sum := 0.0
	for _, t := range s.Out {
		sum += t.Weight
	}
	return sum
}

// Text returns the machine for people: its states, and for each transition its probability where all can be taken.
func (m *Machine) Text() string {
	var b strings.Builder
	for _, s := range m.States {
		b.WriteString(s.Name)
		if s.Kind != Plain {
			fmt.Fprintf(&b, " (%s)", s.Kind)
		}
		if s.Label != "" {
			fmt.Fprintf(&b, " [%s]", s.Label)
		}
		b.WriteByte('\n')
		total := s.total()
		for _, t := range s.Out {
			action, next, label := t.Action, t.Next, ""
			if action == "" {
				action = "-"
			}
			if next == "" || next == s.Name {
				next = "stays"
			} else {
				next = "-> " + next
			}
			if t.Label != "" {
				label = " [" + t.Label + "]"
			}
			p := 0.0
			if total > 0 {
				p = 100 * t.Weight / total
			}
			fmt.Fprintf(&b, "  %6.2f%%  %-22s %s%s\n", p, action, next, label)
		}
	}
	return b.String()
}

// DOT returns the machine as a graph in the language of Graphviz. Transitions between the same states are one edge.
func (m *Machine) DOT() string {
	var b strings.Builder
	b.WriteString("digraph machine {\n  rankdir=LR; node [shape=box, style=rounded, fontname=Helvetica]; edge [fontname=Helvetica, fontsize=9];\n")
	for _, s := range m.States {
		shape := ""
		switch s.Kind {
		case Decision:
			shape = ", shape=diamond"
		case Choice:
			shape = ", shape=ellipse"
		}
		fmt.Fprintf(&b, "  %q [label=%q%s];\n", s.Name, s.Name, shape)
	}
	for _, s := range m.States {
		var order []string
		labels := map[string][]string{}
		for _, t := range s.Out {
			next := t.Next
			if next == "" {
				next = s.Name
			}
			if labels[next] == nil {
				order = append(order, next)
			}
			action := t.Action
			if action == "" {
				action = "-"
			}
			labels[next] = append(labels[next], fmt.Sprintf("%s %.2g%%", action, 100*t.Weight/max(s.total(), 1e-9)))
		}
		for _, next := range order {
			fmt.Fprintf(&b, "  %q -> %q [label=%q];\n", s.Name, next, strings.Join(labels[next], "\n"))
		}
	}
	b.WriteString("}\n")
	return b.String()
}
