package smtml

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtlark/smtlark/engine/ground/pattern"
	"github.com/smtlark/smtlark/engine/language/smt"
	"github.com/smtlark/smtlark/engine/language/smtlib"
	"github.com/smtlark/smtlark/engine/semantics/eval/model"
	"github.com/smtlark/smtlark/engine/semantics/eval/modelreader"
	"github.com/smtlark/smtlark/engine/semantics/eval/value"
)

// ModelFormat is a way to write models.
type ModelFormat string

// The formats of models: as solvers print them, and the two of Smt.ml.
const (
	ModelSMTLIB ModelFormat = "smt2"
	ModelJSON   ModelFormat = "json"
	ModelSCFG   ModelFormat = "scfg"
)

// binding is the meaning of one name in a model.
type binding struct {
	name  string
	typ   string // of Smt.ml, or a sort of SMT-LIB
	text  string // the value as that type spells it; "" if it is not known
	bare  bool   // the value is a number, true or false in JSON
	whole string // the definition in SMT-LIB, in the place of type and value: of a function
}

// WriteModel writes a model. Values of int, real, bool, str, vectors and floating-point numbers have the types and the
// spelling of Smt.ml in JSON and scfg, numbers exactly; other sorts and values are spelled as SMT-LIB does, and
// functions are written as definitions, which Smt.ml ignores.
func WriteModel(m *model.Model, format ModelFormat) string {
	if format == ModelSMTLIB {
		return m.Text()
	}
	bindings, sizes := bindingsOf(m)
	if format == ModelSCFG {
		return scfgText(bindings, sizes)
	}
	return jsonText(bindings, sizes)
}

// cardinality is the comment by which a model tells how many elements a declared sort has.
var cardinality = pattern.Lazy(`(?m)^\s*; cardinality of (.+) is (\d+)$`)

// bindingsOf returns the bindings of a model, in the order of names, and the number of elements of each declared sort.
func bindingsOf(m *model.Model) (out []binding, sizes [][2]string) {
	a, text := m.Arena(), m.Text()
	for _, x := range cardinality().FindAllStringSubmatch(text, -1) {
		sizes = append(sizes, [2]string{x[1], x[2]})
	}
	for _, f := range m.Symbols() {
		if v, ok := m.Value(f); ok {
			out = append(out, bindingOf(a, a.SymbolName(f), a.SymbolInfo(f).Result, v))
		}
	}
	exprs, _ := smtlib.ParseSExprs(text) // it is our own text
	for _, e := range exprs {
		for _, x := range e.List {
			if x.Head() == "define-fun" && len(x.List) == 5 && len(x.List[2].List) > 0 {
				out = append(out, binding{name: x.List[1].Symbol(), whole: x.String()})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y binding) int { return strings.Compare(x.name, y.name) })
	return out, sizes
}

// bindingOf spells the value of a constant.
func bindingOf(a *smt.Arena, name string, sort smt.Sort, v value.Value) binding {
	b := binding{name: name, typ: a.SortString(sort)}
	if !v.IsValue() {
		return b
	}
	if n, ok := v.BV(); ok {
		b.typ, b.text, b.bare = "i"+strconv.Itoa(a.Width(sort)), n.String(), true
		return b
	}
	if typ := typeName(a, sort); typ != "" {
		b.typ = typ
	}
	switch b.typ {
	case "bool":
		b.text, b.bare = v.Text(a), true
	case "int":
		n, _ := v.Int()
		b.text, b.bare = n.String(), true
	case "real":
		r, _ := v.Rat()
		// Numbers without a finite decimal are written as fractions, in quotes: a rounded one would be another model.
		if digits, exact := r.FloatPrec(); exact {
			b.text, b.bare = r.FloatString(max(digits, 1)), true
		} else {
			b.text = r.RatString()
		}
	case "str":
		s, _ := v.Runes()
		quoted := string(smt.AppendString(nil, s))
		b.text = strings.ReplaceAll(quoted[1:len(quoted)-1], `""`, `"`)
	case "f32", "f64":
		x, _ := v.FP(a)
		number, size := math.Float64frombits(x.Bits64()), 64
		if b.typ == "f32" {
			number, size = float64(math.Float32frombits(uint32(x.Bits64()))), 32
		}
		b.text = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(number, 'g', -1, size), "+"))
	default:
		b.text = v.Text(a)
	}
	return b
}

// jsonText writes {"model": {NAME: {"ty": TYPE, "value": VALUE}}}, with "define-fun" in their place for functions, and
// "universes".
func jsonText(bindings []binding, sizes [][2]string) string {
	quoted := func(text string) string {
		b, _ := json.Marshal(text) // text can always be written
		return string(b)
	}
	var lines []string
	for _, x := range bindings {
		said := `"ty": ` + quoted(x.typ) + `, "value": `
		switch {
		case x.whole != "":
			said = `"define-fun": ` + quoted(x.whole)
		case x.typ != "str" && x.text == "":
			said += "null"
		case x.bare:
			said += x.text
		default:
			said += quoted(x.text)
		}
		lines = append(lines, fmt.Sprintf("    %s: {%s}", quoted(x.name), said))
	}
	text := "{\n  \"model\": {\n" + strings.Join(lines, ",\n") + "\n  }"
	if len(sizes) > 0 {
		lines = lines[:0]
		for _, x := range sizes {
			lines = append(lines, fmt.Sprintf("    %s: %s", quoted(x[0]), x[1]))
		}
		text += ",\n  \"universes\": {\n" + strings.Join(lines, ",\n") + "\n  }"
	}
	return text + "\n}\n"
}

// scfgText writes directives "symbol NAME TYPE VALUE", "define-fun NAME DEFINITION" and "universe SORT SIZE".
func scfgText(bindings []binding, sizes [][2]string) string {
	var b strings.Builder
	b.WriteString("model {\n")
	for _, x := range bindings {
		switch {
		case x.whole != "":
			fmt.Fprintf(&b, "  define-fun %s %s\n", scfgWord(x.name), scfgWord(x.whole))
		case x.typ != "str" && x.text == "":
			fmt.Fprintf(&b, "  symbol %s %s\n", scfgWord(x.name), scfgWord(x.typ))
		default:
			fmt.Fprintf(&b, "  symbol %s %s %s\n", scfgWord(x.name), scfgWord(x.typ), scfgWord(x.text))
		}
	}
	for _, x := range sizes {
		fmt.Fprintf(&b, "  universe %s %s\n", scfgWord(x[0]), x[1])
	}
	b.WriteString("}\n")
	return b.String()
}

var plainWord = pattern.Lazy(`^[^\s"'\\{}#[:cntrl:]]+$`)

// scfgWord quotes a word where that is needed.
func scfgWord(text string) string {
	if plainWord().MatchString(text) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// ReadModel reads a model in any of the formats in the scope of a script; see modelreader.Parse. It detects the format
// from the text and ignores names that the script does not declare.
func ReadModel(script *smtlib.Script, text string) (*model.Model, error) {
	var bindings []binding
	var sizes [][2]string
	var err error
	switch start := strings.TrimSpace(text); {
	case strings.HasPrefix(start, "{"):
		bindings, sizes, err = readJSON(text)
	case scfgStart().MatchString(start):
		bindings, sizes, err = readSCFG(text)
	default:
		return modelreader.Parse(script, text)
	}
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("(\n")
	for _, x := range sizes {
		fmt.Fprintf(&b, "; cardinality of %s is %s\n", x[0], x[1])
	}
	for _, x := range bindings {
		if x.whole != "" {
			b.WriteString(x.whole + "\n")
			continue
		}
		sort, val, err := x.smtlib()
		if err != nil {
			return nil, fmt.Errorf("the value of %s: %w", x.name, err)
		}
		if val != "" {
			fmt.Fprintf(&b, "(define-fun %s () %s %s)\n", smt.QuoteSymbol(x.name), sort, val)
		}
	}
	b.WriteString(")\n")
	return modelreader.Parse(script, b.String())
}

// smtlib spells sort and value as SMT-LIB does; the value is "" where it is not known.
func (x *binding) smtlib() (sort, val string, err error) {
	wrong := fmt.Errorf("%q is no value of type %s", x.text, x.typ)
	if x.typ == "str" {
		return "String", `"` + strings.ReplaceAll(x.text, `"`, `""`) + `"`, nil
	}
	if x.text == "" {
		return "", "", nil
	}
	switch x.typ {
	case "bool":
		if x.text != "true" && x.text != "false" {
			return "", "", wrong
		}
		return "Bool", x.text, nil
	case "int":
		n, ok := new(big.Int).SetString(x.text, 10)
		if !ok {
			return "", "", wrong
		}
		return "Int", signed(n.Sign(), new(big.Int).Abs(n).String()), nil
	case "real":
		r, ok := new(big.Rat).SetString(x.text)
		if !ok {
			return "", "", wrong
		}
		return "Real", signed(r.Sign(), fmt.Sprintf("(/ %s.0 %s.0)", new(big.Int).Abs(r.Num()), r.Denom())), nil
	case "f32", "f64":
		return x.float(wrong)
	}
	if width, err := strconv.Atoi(strings.TrimPrefix(x.typ, "i")); err == nil && x.typ[0] == 'i' && width > 0 {
		n, ok := new(big.Int).SetString(x.text, 0)
		if !ok || n.BitLen() > width {
			return "", "", wrong
		}
		return fmt.Sprintf("(_ BitVec %d)", width), string(smt.AppendBV(nil, width, n.And(n, value.Ones(width)))), nil
	}
	return x.typ, x.text, nil
}

// float spells a floating-point number by its bits.
func (x *binding) float(wrong error) (sort, val string, err error) {
	size := 64
	if x.typ == "f32" {
		size = 32
	}
	number, err := strconv.ParseFloat(x.text, size)
	if err != nil && !math.IsInf(number, 0) {
		return "", "", wrong
	}
	if size == 32 {
		return "(_ FloatingPoint 8 24)", fmt.Sprintf("((_ to_fp 8 24) #x%08x)", math.Float32bits(float32(number))), nil
	}
	return "(_ FloatingPoint 11 53)", fmt.Sprintf("((_ to_fp 11 53) #x%016x)", math.Float64bits(number)), nil
}

func signed(sign int, text string) string {
	if sign < 0 {
		return "(- " + text + ")"
	}
	return text
}

// readJSON reads the output of jsonText and of Smt.ml.
func readJSON(text string) (out []binding, sizes [][2]string, err error) {
	var doc struct {
		Model map[string]struct {
			Type  string `json:"ty"`
			Value any    `json:"value"`
			Whole string `json:"define-fun"`
		} `json:"model"`
		Universes map[string]uint64 `json:"universes"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, nil, fmt.Errorf("a model in JSON: %w; want {\"model\": {NAME: {\"ty\": TYPE, \"value\": VALUE}}}", err)
	}
	if doc.Model == nil {
		return nil, nil, fmt.Errorf("a model in JSON: there is no \"model\"; want {\"model\": {NAME: {\"ty\": TYPE, \"value\": VALUE}}}")
	}
	for name, x := range doc.Model {
		b := binding{name: name, typ: x.Type, whole: x.Whole}
		switch v := x.Value.(type) {
		case nil:
		case string, bool, json.Number:
			b.text = fmt.Sprint(v)
		default:
			return nil, nil, fmt.Errorf("a model in JSON: the value of %s is no number, text, true, false or null", name)
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(x, y binding) int { return strings.Compare(x.name, y.name) })
	for name, n := range doc.Universes {
		sizes = append(sizes, [2]string{name, strconv.FormatUint(n, 10)})
	}
	slices.SortFunc(sizes, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return out, sizes, nil
}

var scfgStart = pattern.Lazy(`^(?:#.*\n\s*)*model\s*\{`)

// readSCFG reads the directives in the block of a model.
func readSCFG(text string) (out []binding, sizes [][2]string, err error) {
	depth := 0
	for number, line := range strings.Split(text, "\n") {
		words, err := scfgWords(line)
		if err != nil {
			return nil, nil, fmt.Errorf("a model in scfg: line %d: %w", number+1, err)
		}
		switch n, bare := len(words), strings.TrimSpace(line); {
		case n == 0:
		case strings.HasSuffix(bare, "{"): // a word that is one is in quotes
			depth++
		case bare == "}":
			depth--
		case words[0] == "symbol" && (n == 3 || n == 4):
			b := binding{name: words[1], typ: words[2]}
			if n == 4 {
				b.text = words[3]
			}
			out = append(out, b)
		case words[0] == "define-fun" && n == 3:
			out = append(out, binding{name: words[1], whole: words[2]})
		case words[0] == "universe" && n == 3:
			sizes = append(sizes, [2]string{words[1], words[2]})
		default:
			return nil, nil, fmt.Errorf("a model in scfg: line %d: want symbol NAME TYPE VALUE", number+1)
		}
	}
	if depth != 0 {
		return nil, nil, fmt.Errorf("a model in scfg: the block does not end")
	}
	return out, sizes, nil
}

// scfgWords splits a line into words.
func scfgWords(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || len(words) == 0 && line[0] == '#' {
			return words, nil
		}
		quote := line[0]
		if quote != '"' && quote != '\'' {
			end := strings.IndexAny(line, " \t\r")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, line[:end]), line[end:]
			continue
		}
		var b strings.Builder
		i := 1
		for ; i < len(line) && line[i] != quote; i++ {
			if line[i] == '\\' && quote == '"' && i+1 < len(line) {
				i++
			}
			b.WriteByte(line[i])
		}
		if i >= len(line) {
			return nil, fmt.Errorf("a quoted word does not end")
		}
		words, line = append(words, b.String()), line[i+1:]
	}
}
