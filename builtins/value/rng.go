package value

import (
	"fmt"
	"math/big"
	"slices"

	"go.starlark.net/starlark"

	"github.com/smtlark/smtlark/builtins/registry"
	"github.com/smtlark/smtlark/engine/ground/rng"
)

// Rng is a stream of random numbers in a script. It is mutable: drawing from it after
// it was frozen (a global of a module) is an error, since its numbers would then depend
// on the order in which cases are made.
type Rng struct {
	registry.Object[*Rng]

	src    *rng.Source
	turn   *turnValue
	frozen bool
}

// turnValue says which case of a campaign is being made.
type turnValue struct {
	Seed   uint64 // of the campaign
	Number uint64 // of the case
}

// NewCaseRng returns the stream for case number n of a campaign; schedules that work in turns use n as their turn.
func NewCaseRng(src *rng.Source, seed, n uint64) *Rng {
	return &Rng{src: src, turn: &turnValue{seed, n}}
}

// Turn returns which case of a campaign is being made; nil outside of campaigns and for streams made by hand.
func (r *Rng) Turn() *turnValue { return r.turn }

// burst returns the stream that length cases in a row share, with a turn that counts such bursts.
func (r *Rng) burst(length uint64) *Rng {
	if r.turn == nil {
		return NewRng(r.src.SplitString("burst"))
	}
	number := r.turn.Number / length
	return NewCaseRng(rng.New(r.turn.Seed).SplitString("burst").Split(length).Split(number), r.turn.Seed, number)
}

// NewRng wraps a stream; the wrapper and the stream share their state.
func NewRng(src *rng.Source) *Rng { return &Rng{src: src} }

// Source returns the stream, or an error when r is frozen.
func (r *Rng) Source() (*rng.Source, error) {
	if r.frozen {
		return nil, fmt.Errorf("this rng is frozen since it is a global of a module; draw from the rng that your function is given, or make one inside with rng(seed)")
	}
	return r.src, nil
}

func (r *Rng) Freeze() { r.frozen = true }

// Attr implements starlark.HasAttrs.
func (r *Rng) Attr(name string) (starlark.Value, error) { return RngType.Attr(r, name) }

// drawing adapts a method that draws from the receiver.
func drawing[A any](f func(c *registry.Call, src *rng.Source, a *A) (starlark.Value, error)) registry.Implementation {
	return registry.Method(func(c *registry.Call, r *Rng, a *A) (starlark.Value, error) {
		src, err := r.Source()
		if err != nil {
			return nil, err
		}
		return f(c, src, a)
	})
}

// itemsArgs are the arguments of rng.pick.
type itemsArgs struct {
	Items []starlark.Value `type:"iterable[T]" doc:"a list, tuple, set, range or dict (then a key)"`
}

// RngType describes the methods of rng values.
var RngType = registry.NewType[*Rng]("rng", `A stream of random numbers. The numbers of a case follow from the campaign's seed and the case's
number alone, so every case can be made again.`, []registry.Builtin{
	{
		Name: "int", Doc: "A whole number from lo to hi, both included, all equally likely.",
		Ret:     "bigint",
		Example: "n = rng(7).int(1, 6)\n1 <= n and n <= 6  # -> True\nrng(7).int(2, 1)  # error: rng.int: for parameter hi: 1 is below lo = 2",
		Fast:    fastInt, Do: drawing(rngInt),
	},
	{
		Name: "bool", Doc: "True with a probability.",
		Ret:     "bool",
		Example: "rng(7).bool(1.0)  # -> True\nrng(7).bool(0)  # -> False",
		Do: drawing(func(_ *registry.Call, src *rng.Source, a *struct {
			Probability float64 `type:"probability" default:"0.5"`
		}) (starlark.Value, error) {
			return starlark.Bool(src.Chance(a.Probability)), nil
		}),
	},
	{
		Name: "float", Doc: "A float from 0 (included) to 1 (excluded).", Ret: "float",
		Example: "rng(7).float() < 1  # -> True",
		Do: drawing(func(_ *registry.Call, src *rng.Source, _ *struct{}) (starlark.Value, error) {
			return starlark.Float(src.Float()), nil
		}),
	},
	{
		Name: "pick", Doc: "One element, all equally likely; None if there are none.",
		Ret:     "T | None",
		Example: "rng(7).pick([\"a\", \"b\"]) in (\"a\", \"b\")  # -> True\nrng(7).pick([])  # -> None",
		Fast:    fastPick, Do: drawing(rngPick),
	},
	{
		Name: "sample", Doc: "A list of n elements from different positions, in random order.",
		Ret:     "list[T]",
		Example: "sorted(rng(7).sample([1, 2, 3], 3))  # -> [1, 2, 3]\nrng(7).sample([1], 2)  # error: rng.sample: for parameter n: 2 is not between 0 and 1",
		Do:      drawing(rngSample),
	},
	{
		Name: "shuffle", Doc: "Puts a list in random order, in place, and returns it.",
		Ret:     "list[T]",
		Example: "sorted(rng(7).shuffle([3, 1, 2]))  # -> [1, 2, 3]",
		Do:      drawing(rngShuffle),
	},
	{
		Name: "weighted", Doc: "One key of a dict, with probability in proportion to its value; None when all weights are 0.",
		Ret:     "T | None",
		Example: "rng(7).weighted({\"a\": 3, \"b\": 0})  # -> \"a\"",
		Do:      drawing(rngWeighted),
	},
	{
		Name: "turn", Doc: "The number of the case for which the campaign made this rng, counted from 0; None for an rng made by hand or by split. For techniques that enumerate.", Ret: "int | None",
		Example: "rng(7).turn  # -> None",
		Get: func(v starlark.Value) (starlark.Value, error) {
			if t := v.(*Rng).turn; t != nil {
				return starlark.MakeUint64(t.Number), nil
			}
			return starlark.None, nil
		},
	},
	{
		Name: "split", Doc: "An independent stream for a key. It does not depend on earlier draws, so adding draws in one place does not change the others.",
		Ret:     "rng",
		Example: "r = rng(7)\na = r.split(\"ops\").int(0, 1000)\nb = r.int(0, 5)\nr.split(\"ops\").int(0, 1000) == a  # -> True",
		Do: registry.Method(func(_ *registry.Call, r *Rng, a *struct {
			Key starlark.Value `type:"bigint | str"`
		}) (starlark.Value, error) { // draws nothing: fine on a frozen rng
			if s, ok := starlark.AsString(a.Key); ok {
				return NewRng(r.src.SplitString(s)), nil
			}
			return NewRng(r.src.Split(registry.Uint64(a.Key))), nil
		}),
	},
	{
		Name: "burst", Doc: "A stream that several cases in a row share: cases 0 to length - 1 of a technique get the same numbers, the next length cases get others, and so on. Its turn is the number of the burst. Use it for expensive results that serve several cases, such as a seed about which a solver is asked. Outside of a campaign it is a separate stream. The rng on which burst is called does not advance.",
		Ret:     "rng",
		Example: "rng(7).burst(4).int(0, 1000) == rng(7).burst(4).int(0, 1000)  # -> True",
		Do: registry.Method(func(c *registry.Call, r *Rng, a *struct {
			Length int `doc:"number of cases"`
		}) (starlark.Value, error) {
			if a.Length < 1 {
				return nil, c.Errorf(&a.Length, "%d cases are none", a.Length)
			}
			return r.burst(uint64(a.Length)), nil
		}),
	},
}).WithElsewhere(map[string]string{
	"choice": "pick", "choose": "pick", "randint": "int", "randrange": "int", "random": "float", "uniform": "float", "choices": "sample",
	"permutation": "shuffle", "chance": "bool", "coin": "bool",
})

func fastInt(_ *starlark.Thread, recv starlark.Value, args starlark.Tuple) (starlark.Value, error) {
	r := recv.(*Rng)
	if len(args) != 2 || r.frozen {
		return nil, nil
	}
	lo, ok1 := smallInt(args[0])
	hi, ok2 := smallInt(args[1])
	if !ok1 || !ok2 || lo > hi {
		return nil, nil
	}
	return starlark.MakeInt(r.src.Range(lo, hi)), nil
}

func smallInt(v starlark.Value) (int, bool) {
	i, ok := v.(starlark.Int)
	if !ok {
		return 0, false
	}
	n, ok := i.Int64()
	return int(n), ok
}

func rngInt(c *registry.Call, src *rng.Source, a *struct {
	Lo *big.Int `type:"bigint"`
	Hi *big.Int `type:"bigint"`
}) (starlark.Value, error) {
	lo, hi := a.Lo, a.Hi
	if lo.Cmp(hi) > 0 {
		return nil, c.Errorf(&a.Hi, "%s is below lo = %s", hi, lo)
	}
	if lo.IsInt64() && hi.IsInt64() {
		return starlark.MakeInt(src.Range(int(lo.Int64()), int(hi.Int64()))), nil
	}
	span := new(big.Int).Sub(hi, lo) // draw 0 to span by rejection
	n := span.BitLen()
	words := make([]big.Word, 0, n/64+1)
	mask := new(big.Int).Lsh(big.NewInt(1), uint(n))
	mask.Sub(mask, big.NewInt(1))
	for {
		words = words[:0]
		for i := 0; i < n; i += 64 {
			words = append(words, big.Word(src.Uint64()))
		}
		x := new(big.Int).SetBits(words)
		if x = new(big.Int).And(x, mask); x.Cmp(span) <= 0 {
			return starlark.MakeBigInt(x.Add(x, lo)), nil
		}
	}
}

func fastPick(_ *starlark.Thread, recv starlark.Value, args starlark.Tuple) (starlark.Value, error) {
	r := recv.(*Rng)
	if len(args) != 1 || r.frozen {
		return nil, nil
	}
	seq, ok := args[0].(starlark.Indexable)
	if _, isString := seq.(starlark.String); !ok || isString {
		return nil, nil
	}
	if n := seq.Len(); n > 0 {
		return seq.Index(r.src.Intn(n)), nil
	}
	return starlark.None, nil
}

func rngPick(_ *registry.Call, src *rng.Source, a *itemsArgs) (starlark.Value, error) {
	if len(a.Items) > 0 {
		return a.Items[src.Intn(len(a.Items))], nil
	}
	return starlark.None, nil
}

// sampleArgs are the arguments of rng.sample.
type sampleArgs struct {
	Items []starlark.Value `type:"iterable[T]"`
	N     int              `doc:"0 to len(items)"`
}

func rngSample(c *registry.Call, src *rng.Source, a *sampleArgs) (starlark.Value, error) {
	items, n := slices.Clone(a.Items), a.N
	if n < 0 || n > len(items) {
		return nil, c.Errorf(&a.N, "%d is not between 0 and %d", n, len(items))
	}
	for i := range n { // the first n steps of a shuffle
		j := i + src.Intn(len(items)-i)
		items[i], items[j] = items[j], items[i]
	}
	return starlark.NewList(items[:n:n]), nil
}

func rngShuffle(c *registry.Call, src *rng.Source, given *struct {
	Items *starlark.List `type:"list[T]"`
}) (starlark.Value, error) {
	list := given.Items
	var failed error
	src.Shuffle(list.Len(), func(i, j int) {
		a, b := list.Index(i), list.Index(j)
		if err := list.SetIndex(i, b); err != nil {
			failed = err
			return
		}
		failed = list.SetIndex(j, a)
	})
	if failed != nil {
		return nil, c.Errorf(&given.Items, "%v; shuffle a copy: rng.shuffle(list(items))", failed)
	}
	return list, nil
}

func rngWeighted(c *registry.Call, src *rng.Source, a *struct {
	Weights *starlark.Dict `type:"dict[T, any]" doc:"weights are numbers from 0 up"`
}) (starlark.Value, error) {
	items := a.Weights.Items()
	total, whole := 0.0, true
	for _, kv := range items {
		w, ok := starlark.AsFloat(kv[1])
		if !ok || !(w >= 0) || w > 1e300 {
			return nil, c.Errorf(&a.Weights, "the weight of %s is %s, want a number from 0 up", kv[0].String(), kv[1].String())
		}
		if _, isInt := kv[1].(starlark.Int); !isInt {
			whole = false
		}
		total += w
	}
	if total == 0 {
		return starlark.None, nil
	}
	var at float64
	if whole && total < 1<<53 {
		at = float64(src.Intn(int(total))) // exact
	} else {
		at = src.Float() * total
	}
	var last starlark.Value
	for _, kv := range items {
		w, _ := starlark.AsFloat(kv[1])
		if w == 0 {
			continue
		}
		if last = kv[0]; at < w {
			break
		}
		at -= w
	}
	return last, nil
}
