// Package expression writes expressions of campaign files as text: calls, strings, lists and dicts.
package expression

import (
	"strconv"
	"strings"
)

// CallText is the text of a call: solver.lacks(operator = "bvnego"). An argument without a name is one by position.
type CallText struct {
	function  string
	arguments []string
}

// NewCall begins the call of a function; arguments come in the order in which they are added.
func NewCall(function string) *CallText { return &CallText{function: function} }

// Set adds an argument, an expression.
func (c *CallText) Set(name, expression string) *CallText {
	if name != "" {
		expression = name + " = " + expression
	}
	c.arguments = append(c.arguments, expression)
	return c
}

// Text adds an argument that is a string.
func (c *CallText) Text(name, text string) *CallText { return c.Set(name, Text(text)) }

// List adds an argument that is a list of strings.
func (c *CallText) List(name string, texts []string) *CallText { return c.Set(name, List(texts)) }

// Flag adds an argument that is True, unless it is not.
func (c *CallText) Flag(name string, is bool) *CallText {
	if is {
		c.Set(name, "True")
	}
	return c
}

func (c *CallText) String() string { return c.function + "(" + strings.Join(c.arguments, ", ") + ")" }

// Text is a string.
func Text(s string) string { return strconv.Quote(s) } // Starlark's escapes are Go's

// List is a list of strings.
func List(texts []string) string {
	quoted := make([]string, len(texts))
	for i, s := range texts {
		quoted[i] = Text(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Dict is a dict of strings, each key followed by its value.
func Dict(keysAndValues ...string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < len(keysAndValues); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Text(keysAndValues[i]) + ": " + Text(keysAndValues[i+1]))
	}
	b.WriteByte('}')
	return b.String()
}
