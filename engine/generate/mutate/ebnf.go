package mutate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/smtlark/smtlark/engine/ground/rng"
)

// ReadGrammar reads a grammar in EBNF: `name = "(" "f" name ")" | "x" ;` (ISO 14977), with `::=` for `=`, `<name>` for
// `name`, and the postfixes * + ? of W3C's. Commas and semicolons may be left out. Comments stand in (* *), or behind #
// in a line. The first rule is the start.
//
// Tokens are written with spaces between them. A rule without parentheses that concatenates texts and other such rules
// derives a single token, such as a number made of digits. Names without a rule are open: Random asks its caller for
// their replacements.
func ReadGrammar(file, text string) (*Grammar, error) {
	p := &ebnf{file: file, text: text, line: 1}
	p.next()
	for p.kind != ebnfEnd {
		if err := p.rule(); err != nil {
			return nil, err
		}
	}
	if len(p.rules) == 0 {
		return nil, fmt.Errorf("%s: no rule: want lines such as `formula = \"(\" \"f\" term \")\" ;`", file)
	}
	return p.compile()
}

type ebnfToken uint8

const (
	ebnfEnd     ebnfToken = iota
	ebnfName              // name, <name>
	ebnfText              // "text", 'text'
	ebnfDefines           // = ::= :=
	ebnfSign              // | ( ) [ ] { } * + ? , ; .
	ebnfBad
)

// ebnfNode is a part of a rule: a text, a name, or alternatives of sequences, perhaps repeated.
type ebnfNode struct {
	text         string
	name         string
	alternatives [][]ebnfNode
	repeat       byte // 0, or one of * + ?
	line         int
}

type ebnfRule struct {
	name string
	line int
	ebnfNode
}

type ebnf struct {
	file, text string
	pos, line  int
	kind       ebnfToken
	word       string
	wordLine   int
	rules      []ebnfRule
}

func (p *ebnf) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...))
}

// next reads a token.
func (p *ebnf) next() {
	for p.pos < len(p.text) {
		switch rest := p.text[p.pos:]; {
		case rest[0] == '\n':
			p.line++
			p.pos++
		case unicode.IsSpace(rune(rest[0])):
			p.pos++
		case strings.HasPrefix(rest, "(*"):
			end := strings.Index(rest[2:], "*)")
			if end < 0 {
				p.take(ebnfBad, len(rest))
				p.word = "(*"
				return
			}
			p.line += strings.Count(rest[:end+4], "\n")
			p.pos += end + 4
		case rest[0] == '#':
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				p.pos += end
			} else {
				p.pos = len(p.text)
			}
		default:
			p.token(rest)
			return
		}
	}
	p.kind, p.word, p.wordLine = ebnfEnd, "the end", p.line
}

func (p *ebnf) take(kind ebnfToken, n int) {
	p.kind, p.word, p.wordLine = kind, p.text[p.pos:p.pos+n], p.line
	p.pos += n
}

func (p *ebnf) token(rest string) {
	switch c := rest[0]; {
	case c == '"' || c == '\'':
		end := strings.IndexByte(rest[1:], c)
		if end < 0 || strings.Contains(rest[1:1+end], "\n") {
			p.take(ebnfBad, 1)
			return
		}
		p.take(ebnfText, end+2)
		p.word = p.word[1 : end+1]
	case c == '<':
		end := strings.IndexByte(rest, '>')
		if end < 2 || strings.Contains(rest[:end], "\n") {
			p.take(ebnfBad, 1)
			return
		}
		p.take(ebnfName, end+1)
		p.word = p.word[1:end]
	case isNameByte(c):
		n := 1
		for n < len(rest) && (isNameByte(rest[n]) || rest[n] >= '0' && rest[n] <= '9' || rest[n] == '-') {
			n++
		}
		p.take(ebnfName, n)
	case strings.HasPrefix(rest, "::="):
		p.take(ebnfDefines, 3)
	case strings.HasPrefix(rest, ":="):
		p.take(ebnfDefines, 2)
	case c == '=':
		p.take(ebnfDefines, 1)
	case strings.IndexByte("|()[]{}*+?,;.", c) >= 0:
		p.take(ebnfSign, 1)
	default:
		p.take(ebnfBad, 1)
	}
}

func isNameByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func (p *ebnf) is(sign string) bool { return p.kind == ebnfSign && p.word == sign }

// begins reports whether a rule begins here: a name and a sign that defines it.
func (p *ebnf) begins() bool {
	if p.kind != ebnfName {
		return false
	}
	ahead := *p
	ahead.next()
	return ahead.kind == ebnfDefines
}

func (p *ebnf) rule() error {
	if !p.begins() {
		return p.errorf(p.wordLine, "%q where a rule is to begin: want `name = ...`", p.word)
	}
	r := ebnfRule{name: p.word, line: p.wordLine}
	if slices.ContainsFunc(p.rules, func(x ebnfRule) bool { return x.name == r.name }) {
		return p.errorf(r.line, "%s is defined twice: write its alternatives in one rule, divided by |", r.name)
	}
	p.next()
	p.next()
	alternatives, err := p.alternatives()
	if err != nil {
		return err
	}
	r.alternatives = alternatives
	if p.is(";") || p.is(".") {
		p.next()
	} else if p.kind != ebnfEnd && !p.begins() {
		return p.errorf(p.wordLine, "%q in the rule of %s: want a text in quotation marks, a name, |, or the end of the rule", p.word, r.name)
	}
	p.rules = append(p.rules, r)
	return nil
}

func (p *ebnf) alternatives() (out [][]ebnfNode, err error) {
	for {
		var sequence []ebnfNode
		for {
			if p.is(",") {
				p.next()
				continue
			}
			node, ok, err := p.part()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			sequence = append(sequence, node)
		}
		out = append(out, sequence)
		if !p.is("|") {
			return out, nil
		}
		p.next()
	}
}

// part reads a part of a sequence; false where none begins here.
func (p *ebnf) part() (node ebnfNode, ok bool, err error) {
	node.line = p.wordLine
	switch {
	case p.kind == ebnfText:
		node.text = p.word
		p.next()
	case p.kind == ebnfName && !p.begins():
		node.name = p.word
		p.next()
	case p.is("("), p.is("["), p.is("{"):
		open := p.word
		p.next()
		if node.alternatives, err = p.alternatives(); err != nil {
			return node, false, err
		}
		end := map[string]string{"(": ")", "[": "]", "{": "}"}[open]
		if !p.is(end) {
			return node, false, p.errorf(p.wordLine, "%q where %q of line %d is to be closed by %q", p.word, open, node.line, end)
		}
		node.repeat = map[string]byte{"[": '?', "{": '*'}[open]
		p.next()
	default:
		return node, false, nil
	}
	if p.kind == ebnfSign && strings.Contains("*+?", p.word) {
		if node.repeat != 0 || node.alternatives == nil {
			node = ebnfNode{alternatives: [][]ebnfNode{{node}}, line: node.line}
		}
		node.repeat = p.word[0]
		p.next()
	}
	return node, true, nil
}

// ebnfCompiler makes rules with holes of a parsed grammar.
type ebnfCompiler struct {
	g      *Grammar
	number map[string]int
	token  map[string]bool // rules that derive one token
}

func (p *ebnf) compile() (*Grammar, error) {
	c := &ebnfCompiler{g: &Grammar{}, number: map[string]int{}, token: map[string]bool{}}
	for _, r := range p.rules {
		c.number[r.name] = len(c.g.names)
		c.g.names = append(c.g.names, r.name)
		c.token[r.name] = true
	}
	for changed := true; changed; { // least derives parentheses, or spaces, or something open
		changed = false
		for _, r := range p.rules {
			if c.token[r.name] && !c.isToken(&r.ebnfNode) {
				c.token[r.name], changed = false, true
			}
		}
	}
	c.g.rules = make([][]grammarRule, len(c.g.names))
	for i := range p.rules {
		c.compileRule(i, &p.rules[i].ebnfNode, c.token[p.rules[i].name])
	}
	c.g.count = make([][]uint64, len(c.g.names))
	c.g.findLeast()
	for i := range p.rules {
		if c.g.least[i] == 0 {
			return nil, p.errorf(p.rules[i].line, "%s derives no text: each of its alternatives needs itself", p.rules[i].name)
		}
	}
	return c.g, nil
}

// isToken reports whether the texts that a node derives have no parentheses and no spaces.
func (c *ebnfCompiler) isToken(n *ebnfNode) bool {
	if n.name != "" {
		return c.token[n.name]
	}
	for _, sequence := range n.alternatives {
		for i := range sequence {
			if !c.isToken(&sequence[i]) {
				return false
			}
		}
	}
	return !strings.ContainsAny(n.text, "() \t")
}

// helper adds a nonterminal for a group.
func (c *ebnfCompiler) helper(of int) int {
	n := len(c.g.names)
	c.g.names, c.g.rules = append(c.g.names, fmt.Sprintf("%s/%d", c.g.names[of], n)), append(c.g.rules, nil)
	return n
}

// holeOf returns the nonterminal of a name: a new one that is open where it has no rule.
func (c *ebnfCompiler) holeOf(name string) int {
	n, known := c.number[name]
	if !known {
		n = len(c.g.names)
		c.number[name] = n
		c.g.names, c.g.rules = append(c.g.names, name), append(c.g.rules, nil)
		c.g.open = append(c.g.open, n)
	}
	return n
}

func (c *ebnfCompiler) compileRule(to int, n *ebnfNode, token bool) {
	for _, sequence := range n.alternatives {
		var r grammarRule
		r.ways = map[[2]int]uint64{}
		var text strings.Builder
		for i := range sequence {
			if i > 0 && !token {
				text.WriteString(separator)
			}
			part := &sequence[i]
			hole := -1
			switch {
			case part.name != "":
				hole = c.holeOf(part.name)
			case part.alternatives != nil:
				hole = c.compileGroup(to, part, token)
			default:
				text.WriteString(part.text)
			}
			if hole >= 0 {
				r.text, r.holes = append(r.text, text.String()), append(r.holes, hole)
				text.Reset()
			}
		}
		r.text = append(r.text, text.String())
		c.g.rules[to] = append(c.g.rules[to], r)
	}
}

// compileGroup returns a nonterminal for a group, with how often it comes.
func (c *ebnfCompiler) compileGroup(of int, n *ebnfNode, token bool) int {
	once := c.helper(of)
	c.compileRule(once, &ebnfNode{alternatives: n.alternatives}, token)
	if n.repeat == 0 {
		return once
	}
	between := separator
	if token {
		between = ""
	}
	ways := func() map[[2]int]uint64 { return map[[2]int]uint64{} }
	nothing := grammarRule{text: []string{""}, ways: ways()}
	more := c.helper(of)
	one := grammarRule{text: []string{"", ""}, holes: []int{once}, ways: ways()}
	again := grammarRule{text: []string{"", between, ""}, holes: []int{once, more}, ways: ways()}
	switch n.repeat {
	case '?':
		c.g.rules[more] = []grammarRule{nothing, one}
	case '*':
		c.g.rules[more] = []grammarRule{nothing, again}
	default:
		c.g.rules[more] = []grammarRule{one, again}
	}
	return more
}

// Open are the names without a rule, in the order in which they occur.
func (g *Grammar) Open() (names []string) {
	for _, n := range g.open {
		names = append(names, g.names[n])
	}
	return names
}

// findLeast finds the least number of rules that a text of each nonterminal takes; 0 where there is none.
func (g *Grammar) findLeast() {
	g.least = make([]int, len(g.names))
	for _, n := range g.open {
		g.least[n] = 1
	}
	for changed := true; changed; {
		changed = false
		for nt := range g.rules {
			for i := range g.rules[nt] {
				if size := g.leastOf(&g.rules[nt][i]); size > 0 && (g.least[nt] == 0 || size < g.least[nt]) {
					g.least[nt], changed = size, true
				}
			}
		}
	}
}

// leastOf is the least number of rules that a text by a rule takes; 0 where there is none.
func (g *Grammar) leastOf(r *grammarRule) int {
	size := 1
	for _, hole := range r.holes {
		if g.least[hole] == 0 {
			return 0
		}
		size += g.least[hole]
	}
	return size
}

// Random derives a random text with about size rules, or with the least number that a nonterminal needs if that is
// more. fill returns the text for a name without a rule.
func (g *Grammar) Random(r *rng.Source, size int, fill func(name string) (string, error)) (string, error) {
	var b strings.Builder
	if err := g.randomly(&b, r, g.start, size, fill); err != nil {
		return "", err
	}
	return spaced(b.String()), nil
}

// separator stands between the parts of a rule in EBNF, of which some may be empty.
const separator = "\x00"

// spaced writes one space where there are separators.
func spaced(text string) string {
	if !strings.Contains(text, separator) {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == 0 }), " ")
}

func (g *Grammar) randomly(b *strings.Builder, r *rng.Source, nt, size int, fill func(name string) (string, error)) error {
	if len(g.rules[nt]) == 0 { // it is open
		text, err := fill(g.names[nt])
		b.WriteString(text)
		return err
	}
	size = max(size, g.least[nt])
	var fit []*grammarRule
	for i := range g.rules[nt] {
		if x := &g.rules[nt][i]; g.leastOf(x) > 0 && g.leastOf(x) <= size {
			fit = append(fit, x)
		}
	}
	if len(fit) == 0 {
		return fmt.Errorf("%s derives no text: each of its alternatives needs itself", g.names[nt])
	}
	x := fit[r.Intn(len(fit))]
	spare := size - g.leastOf(x)
	for i, hole := range x.holes {
		b.WriteString(x.text[i])
		more := spare
		if left := len(x.holes) - i; left > 1 { // each has about the same share
			more = min(spare, r.Intn(2*spare/left+1))
		}
		spare -= more
		if err := g.randomly(b, r, hole, g.least[hole]+more, fill); err != nil {
			return err
		}
	}
	b.WriteString(x.text[len(x.holes)])
	return nil
}
