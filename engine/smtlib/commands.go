package smtlib

import (
	"strconv"

	"github.com/smtlark/smtlark/engine/smt"
)

// command reads one command and appends it to p.commands; p is at its parenthesis.
func (p *parser) command() bool {
	off := p.pos
	c := Command{Pos: p.position(off)}
	p.pos++
	if p.next() == clOpen || p.atEnd() {
		return p.unexpected("the name of a command")
	}
	id, ok := p.symbol("the name of a command")
	if !ok {
		return false
	}
	c.Kind = p.names.ents[id].cmd
	p.allNamed = nil
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
		ok = p.sortCommand(&c)
	case CmdDeclareDatatype, CmdDeclareDatatypes:
		if name := p.names.ents[id].text; name != c.Kind.String() {
			c.Name = name
		}
		ok = p.datatypes(&c)
	case CmdSetLogic, CmdSetOption, CmdSetInfo, CmdGetInfo, CmdGetOption, CmdEcho, CmdCheckSatUsing:
		ok = p.textCommand(&c)
	case CmdOther:
		c.Name = p.names.ents[id].text
		ok = p.otherCommand(&c, off)
	default:
		ok = p.scriptCommand(&c)
	}
	if !ok || c.Kind != CmdOther && !p.closing("`)` of "+c.Kind.String()) {
		if p.cutShort {
			p.err = p.errorAt(off, "this ( has no )")
		}
		return false
	}
	c.Named = p.allNamed
	p.commands = append(p.commands, c)
	return true
}

// boolTerm reads a term that must be Bool.
func (p *parser) boolTerm(what string) (smt.Term, bool) {
	p.next()
	off := p.pos
	t, ok := p.term()
	if !ok {
		return 0, false
	}
	if s := p.a.Sort(t); s != smt.SortBool && s != smt.SortUnknown {
		return 0, p.fail(off, what+": the term has sort "+p.a.SortString(s)+", expected Bool: "+p.a.Brief(t))
	}
	return t, true
}

func (p *parser) assert(c *Command) bool {
	t, ok := p.boolTerm("assert")
	c.Terms = p.keep(t)
	return ok
}

// otherCommand keeps a command that is not known as text.
func (p *parser) otherCommand(c *Command, off int) bool {
	p.pos = off
	if !p.skip() {
		return false
	}
	if c.Name == "include" { // the file is not part of the script, and may be any of the user's
		return p.fail(off, "include reads another file; put its content here")
	}
	c.Text = oneLine(string(p.src[off:p.pos]))
	p.note(off, "unknown command "+c.Name)
	return true
}

// textCommand reads a command whose arguments are kept as text.
func (p *parser) textCommand(c *Command) bool {
	switch c.Kind {
	case CmdSetOption, CmdSetInfo, CmdGetInfo, CmdGetOption:
		if p.next() != clColon {
			return p.unexpected("a keyword such as :status")
		}
		e := p.wordEnd(p.pos)
		id := p.names.get(p.src[p.pos:e], hashBytes(p.src[p.pos:e]))
		c.Name = p.names.ents[id].text
		p.pos = e
	}
	if p.next() != clClose {
		from := p.pos
		for p.next() != clClose {
			if !p.skip() {
				return false
			}
		}
		to := p.pos
		for to > from && class[p.src[to-1]] == clBlank {
			to--
		}
		c.Text = string(p.src[from:to])
	}
	switch c.Kind {
	case CmdSetLogic:
		if c.Text == "" {
			return p.unexpected("the name of a logic")
		}
		if p.logicSet {
			p.illegal(c.Pos.Offset, "the logic is set a second time; only a reset lets it be set again")
		}
		p.logicSet = true
		p.logic(c.Text)
	case CmdSetOption:
		if c.Name == ":global-declarations" {
			p.globalDecls = c.Text == "true"
		}
	}
	switch c.Kind {
	case CmdEcho:
	case CmdSetInfo:
		c.Text = oneLineInfo(c.Text)
	default:
		c.Text = oneLine(c.Text)
	}
	return true
}

// scriptCommand reads the commands for stacks, checks and questions.
func (p *parser) scriptCommand(c *Command) bool {
	switch c.Kind {
	case CmdPush, CmdPop:
		return p.pushPop(c)
	case CmdReset:
		p.undo(0)
		p.levels, p.logicSet = p.levels[:0], false
		p.realNums, p.higherOrder, p.globalDecls = false, false, false
	case CmdResetAssertions:
		p.levels, p.again = p.levels[:0], len(p.binds)
	case CmdCheckSat:
		if p.next() != clClose { // z3 takes assumptions here
			c.Kind = CmdCheckSatAssuming
			return p.termsUntilClose(c)
		}
	case CmdCheckSatAssuming:
		return p.opening("the `(` of the assumptions") && p.termsUntilClose(c) && p.closing("`)`")
	case CmdGetValue:
		return p.opening("the `(` of the terms") && p.termsUntilClose(c) && p.closing("`)`")
	case CmdSimplify:
		t, ok := p.term()
		if !ok {
			return false
		}
		c.Terms = p.keep(t)
		from := p.pos
		for p.next() != clClose {
			if !p.skip() {
				return false
			}
		}
		c.Text = oneLine(trimBlanks(p.src[from:p.pos]))
	default:
		from := p.pos
		for p.next() != clClose { // get-unsat-core and the like take nothing, in some solvers something
			if !p.skip() {
				return false
			}
		}
		c.Text = oneLine(trimBlanks(p.src[from:p.pos]))
	}
	return true
}

func trimBlanks(s []byte) string {
	from, to := 0, len(s)
	for from < to && class[s[from]] == clBlank {
		from++
	}
	for to > from && class[s[to-1]] == clBlank {
		to--
	}
	return string(s[from:to])
}

// termsUntilClose reads terms up to a closing parenthesis, which stays.
func (p *parser) termsUntilClose(c *Command) bool {
	var ts []smt.Term
	for p.next() != clClose {
		var t smt.Term
		var ok bool
		if c.Kind == CmdGetValue {
			t, ok = p.term()
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

const maxLevels = 1 << 20

func (p *parser) pushPop(c *Command) bool {
	c.N = 1
	if p.next() != clClose {
		off := p.pos
		n, ok := p.numeral("a numeral")
		if !ok {
			return false
		}
		if !n.IsInt64() || n.Int64() > maxLevels {
			return p.fail(off, "more than "+strconv.Itoa(maxLevels)+" levels")
		}
		c.N = int(n.Int64())
		if c.Kind == CmdPop && c.N > len(p.levels) {
			return p.fail(off, "pop of "+strconv.Itoa(c.N)+" levels where there are "+strconv.Itoa(len(p.levels)))
		}
	} else if c.Kind == CmdPop && len(p.levels) == 0 {
		return p.fail(p.pos, "pop without push")
	}
	if c.Kind == CmdPush {
		if len(p.levels)+c.N > maxLevels {
			return p.fail(p.pos, "more than "+strconv.Itoa(maxLevels)+" levels")
		}
		for range c.N {
			p.levels = append(p.levels, len(p.binds))
		}
		return true
	}
	if c.N > 0 {
		k := len(p.levels) - c.N
		if !p.globalDecls {
			p.undo(p.levels[k])
		}
		p.levels = p.levels[:k]
	}
	return true
}
