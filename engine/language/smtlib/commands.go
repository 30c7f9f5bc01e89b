package smtlib

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib/internal/sexpr"
)

// command reads one command and appends it to p.commands; p is at its parenthesis.
func (p *parser) command() bool {
	off := p.Pos
	c := Command{Pos: p.Position(off)}
	p.Pos++
	if p.Next() == sexpr.Open || p.AtEnd() {
		return p.Unexpected("the name of a command")
	}
	id, ok := p.Symbol("the name of a command")
	if !ok {
		return false
	}
	c.Kind = Kind(p.Word(id))
	p.Named = nil
	switch c.Kind {
	case CmdAssert:
		ok = p.assert(&c)
	case CmdDeclareConst, CmdDeclareFun:
		ok = p.declareFun(&c)
	case CmdDefineConst, CmdDefineFun:
		ok = p.defineFun(&c)
	case CmdDefineFunRec, CmdDefineFunsRec:
		ok = p.defineRec(&c)
	case CmdDeclareSort, CmdDeclareSortParameter, CmdDefineSort:
		if p.Name(id) == declareTypeVar {
			c.Text = declareTypeVar
		}
		ok = p.sortCommand(&c)
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		// Commands of one solver with the same shape, such as declare-codatatypes.
		if name := p.Name(id); name != c.Kind.String() {
			c.Name = name
		}
		ok = p.datatypes(&c)
	case CmdSetLogic, CmdSetOption, CmdSetInfo, CmdGetInfo, CmdGetOption, CmdEcho, CmdCheckSatUsing:
		ok = p.textCommand(&c)
	case CmdOther:
		c.Name = p.Name(id)
		ok = p.otherCommand(&c, off)
	default:
		ok = p.scriptCommand(&c)
	}
	if !ok || c.Kind != CmdOther && !p.Closing("`)` of "+c.Kind.String()) {
		if p.CutShort {
			// Point at the command that is not closed: the end of the file would not help a user.
			p.Err = p.ErrorAt(off, "this ( has no )")
		}
		return false
	}
	c.Named = p.Named
	p.commands = append(p.commands, c)
	return true
}

// boolTerm reads a term that must be Bool.
func (p *parser) boolTerm(what string) (smt.Term, bool) {
	p.Next()
	off := p.Pos
	t, ok := p.Term()
	if !ok {
		return 0, false
	}
	if s := p.Arena.Sort(t); s != smt.SortBool && s != smt.SortUnknown {
		return 0, p.Fail(off, what+": the term has sort "+p.Arena.SortString(s)+", expected Bool: "+p.Arena.Brief(t))
	}
	return t, true
}

func (p *parser) assert(c *Command) bool {
	t, ok := p.boolTerm("assert")
	c.Terms = p.keep(t)
	return ok
}

// The kinds of arguments of commands beyond SMT-LIB.
const (
	word        = 'w' // any one expression
	term        = 't'
	listOfTerms = 'l'
)

// termPlaces lists the commands beyond SMT-LIB that carry terms, with the kinds of their arguments. Further arguments
// are kept as text. The first six commands are z3's, the others cvc5's.
var termPlaces = map[string]string{
	"minimize": "t", "maximize": "t", "assert-soft": "t", "eval": "t", "get-consequences": "ll",
	"block-model-values": "l", "get-interpolant": "wt", "get-interpol": "wt", "get-abduct": "wt", "get-qe": "t",
	"get-qe-disjunct": "t",
}

// otherCommand reads a command beyond SMT-LIB: its terms, if their places are known and they can be read, and the rest
// as text.
func (p *parser) otherCommand(c *Command, off int) bool {
	bound, vars := p.Bound(), p.Vars()
	if form := termPlaces[c.Name]; form != "" {
		if p.readPlaces(c, form) {
			p.Note(off, "unknown command "+c.Name)
			return true
		}
		p.Undo(bound)
		p.UndoVars(vars)
		p.Abandon()
		p.Err, p.CutShort = nil, false
	}
	p.Pos = off
	if !p.Skip() {
		return false
	}
	if c.Name == "include" { // the file is not part of the script, and may be any of the user's
		return p.Fail(off, "include reads another file; put its content here")
	}
	c.Text = sexpr.OneLine(string(p.Src[off:p.Pos]))
	p.Note(off, "unknown command "+c.Name)
	return true
}

// readPlaces reads the arguments of a command whose terms stand at the places of a form, up to its end.
func (p *parser) readPlaces(c *Command, form string) bool {
	var terms []smt.Term
	text := append([]byte{'('}, c.Name...)
	for _, place := range form {
		text = append(text, ' ')
		switch place {
		case word:
			p.Next()
			from := p.Pos
			if !p.Skip() {
				return false
			}
			text = append(text, p.Src[from:p.Pos]...)
		case term:
			t, ok := p.Term()
			if !ok {
				return false
			}
			terms = append(terms, t)
			text = append(text, Hole...)
		case listOfTerms:
			if !p.Opening("the `(` of the terms") {
				return false
			}
			text = append(text, '(')
			for first := true; p.Next() != sexpr.Close; first = false {
				t, ok := p.Term()
				if !ok {
					return false
				}
				if !first {
					text = append(text, ' ')
				}
				terms = append(terms, t)
				text = append(text, Hole...)
			}
			p.Pos++
			text = append(text, ')')
		}
	}
	from := p.Pos
	for p.Next() != sexpr.Close {
		if !p.Skip() {
			return false
		}
	}
	text = appendWord(text, sexpr.OneLine(trimBlanks(p.Src[from:p.Pos])))
	p.Pos++
	c.Text, c.Terms = string(append(text, ')')), p.keep(terms...)
	return true
}

// textCommand reads a command whose arguments are kept as text.
func (p *parser) textCommand(c *Command) bool {
	switch c.Kind {
	case CmdSetOption, CmdSetInfo, CmdGetInfo, CmdGetOption:
		if p.Next() != sexpr.Colon {
			return p.Unexpected("a keyword such as :status")
		}
		c.Name = p.Keyword()
	}
	if p.Next() != sexpr.Close {
		from := p.Pos
		for p.Next() != sexpr.Close {
			if !p.Skip() {
				return false
			}
		}
		to := p.Pos
		for to > from && sexpr.Class[p.Src[to-1]] == sexpr.Blank {
			to--
		}
		c.Text = string(p.Src[from:to])
	}
	switch c.Kind {
	case CmdSetLogic:
		if c.Text == "" {
			return p.Unexpected("the name of a logic")
		}
		if p.logicSet {
			p.Illegal(c.Pos.Offset, "the logic is set a second time; only a reset lets it be set again")
		}
		p.logicSet = true
		p.SetLogic(c.Text)
	case CmdSetOption:
		if c.Name == ":global-declarations" {
			p.GlobalDeclarations = c.Text == "true"
		}
	}
	// An echo prints its line breaks; in other texts they are only space.
	switch c.Kind {
	case CmdEcho:
	case CmdSetInfo:
		c.Text = sexpr.OneLineInfo(c.Text)
	default:
		c.Text = sexpr.OneLine(c.Text)
	}
	return true
}

// scriptCommand reads the commands for stacks, checks and questions.
func (p *parser) scriptCommand(c *Command) bool {
	switch c.Kind {
	case CmdPush, CmdPop:
		return p.pushPop(c)
	case CmdReset, CmdResetAssertions:
		if p.Next() != sexpr.Close { // before anything is taken back
			return p.Unexpected("`)` of " + c.Kind.String())
		}
		if c.Kind == CmdResetAssertions {
			p.Forget()
			break
		}
		p.Clear()
		p.logicSet, p.RealNumerals, p.HigherOrder, p.GlobalDeclarations = false, false, false, false
	case CmdCheckSat:
		if p.Next() != sexpr.Close { // z3 takes assumptions here
			c.Kind = CmdCheckSatAssuming
			return p.termsUntilClose(c)
		}
	case CmdCheckSatAssuming:
		return p.Opening("the `(` of the assumptions") && p.termsUntilClose(c) && p.Closing("`)`")
	case CmdGetValue:
		return p.Opening("the `(` of the terms") && p.termsUntilClose(c) && p.Closing("`)`")
	case CmdSimplify:
		t, ok := p.Term()
		if !ok {
			return false
		}
		c.Terms = p.keep(t)
		from := p.Pos
		for p.Next() != sexpr.Close {
			if !p.Skip() {
				return false
			}
		}
		c.Text = sexpr.OneLine(trimBlanks(p.Src[from:p.Pos]))
	default:
		from := p.Pos
		for p.Next() != sexpr.Close { // get-unsat-core and the like take nothing, in some solvers something
			if !p.Skip() {
				return false
			}
		}
		c.Text = sexpr.OneLine(trimBlanks(p.Src[from:p.Pos]))
	}
	return true
}

func trimBlanks(s []byte) string {
	from, to := 0, len(s)
	for from < to && sexpr.Class[s[from]] == sexpr.Blank {
		from++
	}
	for to > from && sexpr.Class[s[to-1]] == sexpr.Blank {
		to--
	}
	return string(s[from:to])
}

// termsUntilClose reads terms up to a closing parenthesis, which it does not consume.
func (p *parser) termsUntilClose(c *Command) bool {
	var ts []smt.Term
	for p.Next() != sexpr.Close {
		var t smt.Term
		var ok bool
		if c.Kind == CmdGetValue {
			t, ok = p.Term()
		} else {
			t, ok = p.boolTerm(c.Kind.String())
		}
		if !ok {
			return false
		}
		ts = append(ts, t)
	}
	c.Terms = p.keep(ts...)
	return true
}

const maxLevels = 1 << 17

func (p *parser) pushPop(c *Command) bool {
	c.N = 1
	if p.Next() != sexpr.Close {
		off := p.Pos
		n, ok := p.Numeral("a numeral")
		if !ok {
			return false
		}
		if !n.IsInt64() || n.Int64() > maxLevels {
			return p.Fail(off, "more than "+strconv.Itoa(maxLevels)+" levels")
		}
		c.N = int(n.Int64())
		if c.Kind == CmdPop && c.N > p.Levels() {
			return p.Fail(off, "pop of "+strconv.Itoa(c.N)+" levels where there are "+strconv.Itoa(p.Levels()))
		}
	} else if c.Kind == CmdPop && p.Levels() == 0 {
		return p.Fail(p.Pos, "pop without push")
	}
	if p.Next() != sexpr.Close { // before any level is begun or ended
		return p.Unexpected("`)` of " + c.Kind.String())
	}
	if c.Kind == CmdPush {
		if p.Levels()+c.N > maxLevels {
			return p.Fail(p.Pos, "more than "+strconv.Itoa(maxLevels)+" levels")
		}
		p.Push(c.N)
	} else {
		p.Pop(c.N)
	}
	return true
}
