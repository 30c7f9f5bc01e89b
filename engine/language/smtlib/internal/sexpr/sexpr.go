package sexpr

import "strings"

// Expr is an S-expression: an atom or a list.
type Expr struct {
	Atom   string // as written, with bars or quotes; "" for a list
	List   []Expr
	Offset int // in bytes, where it begins in the text
}

// IsList reports whether the expression is a list, perhaps an empty one.
func (e *Expr) IsList() bool { return e.Atom == "" }

// Symbol returns the name that an atom spells, without bars; "" for a list, a string, a number or a keyword.
func (e *Expr) Symbol() string {
	if e.Atom == "" {
		return ""
	}
	switch Class[e.Atom[0]] {
	case Bar:
		return e.Atom[1 : len(e.Atom)-1]
	case Symbol:
		return e.Atom
	}
	return ""
}

// Head returns the symbol that a list begins with; "" if there is none.
func (e *Expr) Head() string {
	if len(e.List) == 0 {
		return ""
	}
	return e.List[0].Symbol()
}

// String returns the expression on one line.
func (e *Expr) String() string { return string(e.Append(nil)) }

// Append appends the expression, atoms as they were written and separated by one blank.
func (e *Expr) Append(b []byte) []byte {
	type frame struct {
		e *Expr
		i int
	}
	stack := []frame{{e: e}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if !f.e.IsList() {
			b = append(b, f.e.Atom...)
			stack = stack[:len(stack)-1]
			continue
		}
		if f.i == 0 {
			b = append(b, '(')
		}
		if f.i == len(f.e.List) {
			b = append(b, ')')
			stack = stack[:len(stack)-1]
			continue
		}
		if f.i > 0 {
			b = append(b, ' ')
		}
		f.i++
		stack = append(stack, frame{e: &f.e.List[f.i-1]})
	}
	return b
}

// Parse reads all S-expressions of a text, such as the reply of a solver. It accepts any text; the error is an *Error
// with the place that is not an S-expression.
func Parse(text string) ([]Expr, error) {
	l := Lexer{File: "reply", Src: append([]byte(text), 0)}
	var out []Expr
	for l.Next(); !l.AtEnd(); l.Next() {
		e, ok := l.Expr()
		if !ok {
			return nil, l.Err
		}
		out = append(out, e)
	}
	return out, nil
}

// Expr reads one S-expression of any depth. Elements are collected on one stack, so that each list is copied only once,
// at its exact size.
func (l *Lexer) Expr() (Expr, bool) {
	type open struct{ base, off int }
	var elems []Expr
	var opens []open
	for {
		switch l.Next() {
		case Open:
			opens = append(opens, open{len(elems), l.Pos})
			l.Pos++
			continue
		case Close:
			if len(opens) == 0 {
				return Expr{}, l.Unexpected("an expression")
			}
			o := opens[len(opens)-1]
			opens = opens[:len(opens)-1]
			list := append([]Expr(nil), elems[o.base:]...)
			elems = append(elems[:o.base], Expr{List: list, Offset: o.off})
			l.Pos++
		default:
			if l.AtEnd() && len(opens) > 0 {
				return Expr{}, l.Fail(opens[len(opens)-1].off, "this ( has no )")
			}
			e := l.TokenEnd()
			if e < 0 {
				return Expr{}, false
			}
			elems = append(elems, Expr{Atom: string(l.Src[l.Pos:e]), Offset: l.Pos})
			l.Pos = e
		}
		if len(opens) == 0 {
			return elems[0], true
		}
	}
}

// OneLine replaces blanks and comments between the tokens of a text by one blank.
func OneLine(text string) string { return compact(text, false) }

// OneLineInfo makes the value of set-info fit for one line: line ends inside quoted symbols become blanks too, because
// cvc5 1.0.3 does not read them and the value has no meaning for solvers.
func OneLineInfo(text string) string {
	if len(text) > 1 && text[0] == '|' && strings.IndexByte(text[1:], '|') == len(text)-2 {
		return lineEnds.Replace(text)
	}
	return compact(text, true)
}

func compact(text string, flat bool) string {
	if !strings.ContainsAny(text, " \t\r\n\f\v;|()") {
		return text
	}
	exprs, err := Parse(text)
	if err != nil {
		return text
	}
	var b []byte
	for i := range exprs {
		if i > 0 {
			b = append(b, ' ')
		}
		if flat {
			exprs[i].flatten()
		}
		b = exprs[i].Append(b)
	}
	return string(b)
}

var lineEnds = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// flatten replaces line ends in quoted symbols by blanks.
func (e *Expr) flatten() {
	todo := []*Expr{e}
	for len(todo) > 0 {
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.Atom != "" && e.Atom[0] == '|' {
			e.Atom = lineEnds.Replace(e.Atom)
		}
		for i := range e.List {
			todo = append(todo, &e.List[i])
		}
	}
}
