package smt

import "strings"

// extensionSort returns the sort of an application of an operator that the operator table lacks, from its name, its
// indices and the sorts of its arguments: the higher-order operators over sets and bags of cvc5, its relations, tables,
// tuples and nullables, its separation logic, and z3's map and fold over sequences. It returns SortUnknown if these do
// not determine the sort or do not fit the operator.
func (a *sortTable) extensionSort(head string, idx []uint64, args []Sort) Sort {
	for _, s := range args {
		if s == SortUnknown {
			return SortUnknown
		}
	}
	switch head {
	case "sep", "wand", "pto", "sep.emp":
		return SortBool
	case "tuple", "tuple.unit":
		return a.Tuple(args...)
	}
	if len(args) == 0 {
		return SortUnknown
	}
	first, last := args[0], args[len(args)-1]
	group, operator, _ := strings.Cut(head, ".")
	switch {
	case group == "tuple":
		return a.tupleSort(operator, idx, args)
	case group == "nullable":
		return a.nullableSort(operator, args)
	case group == "char" && len(args) <= 2 && first == a.Unicode() && last == first:
		return a.characterSort(operator, len(args))
	case head == "to_fp" && len(args) == 3 && len(idx) == 2:
		if s := a.Float(int(min(idx[0], MaxWidth+1)), int(min(idx[1], MaxWidth+1))); s != 0 {
			return s
		}
		return SortUnknown
	case head == "char.from_bv" && len(args) == 1 && first == a.BitVec(18):
		return a.Unicode()
	case head == "seq.nth" && len(args) == 2 && first == SortString:
		return a.Unicode()
	case head == "seq.last_indexof" && len(args) == 2 && first == SortString && last == first:
		return SortInt
	case group == "seq" && len(args) >= 2 && (a.SortKind(last) == KindSeq || last == SortString):
		x := a.Unicode()
		if last != SortString {
			x = a.SortArgs(last)[0]
		}
		switch {
		case operator == "map" && len(args) == 2:
			return a.likeCollection(last, a.resultOf(first, x))
		case operator == "mapi" && len(args) == 3:
			return a.likeCollection(last, a.resultOf(first, SortInt, x))
		case operator == "foldl" && len(args) == 3:
			return args[1]
		case operator == "foldli" && len(args) == 4:
			return args[2]
		}
		return SortUnknown
	}
	element, kind := Sort(0), a.SortKind(last)
	switch {
	case head == "rel.join_image" && len(args) == 2 && last == SortInt:
		if c := a.columns(first); a.SortKind(first) == KindSet && len(c) == 2 && c[0] == c[1] {
			return a.Set(a.Tuple(c[0]))
		}
		return SortUnknown
	case kind == KindSet && (group == "set" || group == "rel"), kind == KindBag && (group == "bag" || group == "table"):
		element = a.SortArgs(last)[0]
	default:
		return SortUnknown
	}
	if group == "set" || group == "bag" {
		return a.collectionSort(operator, element, args)
	}
	return a.relationSort(operator, idx, args)
}

func (a *sortTable) tupleSort(operator string, idx []uint64, args []Sort) Sort {
	place := a.projected(idx, args[0])
	switch {
	case place == SortUnknown:
		return SortUnknown
	case operator == "project" && len(args) == 1:
		return place
	case operator == "select" && len(args) == 1 && len(idx) == 1:
		return a.SortArgs(place)[0]
	case operator == "update" && len(args) == 2 && len(idx) == 1 && a.SortArgs(place)[0] == args[1]:
		return args[0]
	}
	return SortUnknown
}

func (a *sortTable) nullableSort(operator string, args []Sort) Sort {
	nullable := a.SortKind(args[0]) == KindNullable
	switch {
	case operator == "lift" && len(args) > 1:
		elements := make([]Sort, len(args)-1)
		for i, s := range args[1:] {
			if a.SortKind(s) != KindNullable {
				return SortUnknown
			}
			elements[i] = a.SortArgs(s)[0]
		}
		if r := a.resultOf(args[0], elements...); r != SortUnknown {
			return a.Nullable(r)
		}
	case len(args) != 1:
	case operator == "some":
		return a.Nullable(args[0])
	case operator == "val" && nullable:
		return a.SortArgs(args[0])[0]
	case (operator == "is_null" || operator == "is_some") && nullable:
		return SortBool
	}
	return SortUnknown
}

// collectionSort is extensionSort for operators that apply a function to the elements of a set or a bag.
func (a *sortTable) collectionSort(operator string, element Sort, args []Sort) Sort {
	f, last := args[0], args[len(args)-1]
	switch {
	case operator == "map" && len(args) == 2:
		return a.likeCollection(last, a.resultOf(f, element))
	case operator == "filter" && len(args) == 2 && a.resultOf(f, element) == SortBool:
		return last
	case (operator == "all" || operator == "some") && len(args) == 2 && a.resultOf(f, element) == SortBool:
		return SortBool
	case operator == "partition" && len(args) == 2 && a.resultOf(f, element, element) == SortBool:
		return a.likeCollection(last, last)
	case operator == "fold" && len(args) == 3 && a.resultOf(f, element, args[1]) == args[1]:
		return args[1]
	}
	return SortUnknown
}

// relationSort is extensionSort for sets and bags of tuples.
func (a *sortTable) relationSort(operator string, idx []uint64, args []Sort) Sort {
	first, last := args[0], args[len(args)-1]
	left, right := a.columns(first), a.columns(last)
	if right == nil {
		return SortUnknown
	}
	var row []Sort
	switch {
	case operator == "aggr" && len(args) == 3 && a.resultOf(first, a.SortArgs(last)[0], args[1]) == args[1] && a.projected(idx, a.SortArgs(last)[0]) != SortUnknown:
		return a.likeCollection(last, args[1])
	case len(args) == 2 && left != nil && a.SortKind(first) == a.SortKind(last):
		switch operator {
		case "join", "table_join", "product":
			if !joins(idx, len(left), len(right)) {
				return SortUnknown
			}
			if operator != "join" || a.SortKind(first) == KindBag {
				row = append(append(row, left...), right...)
			} else if len(left) > 0 && len(right) > 0 && len(left)+len(right) > 2 && left[len(left)-1] == right[0] {
				row = append(append(row, left[:len(left)-1]...), right[1:]...)
			}
		}
	case len(args) != 1:
	case operator == "group" && a.projected(idx, a.SortArgs(last)[0]) != SortUnknown:
		return a.likeCollection(last, last)
	case operator == "project":
		return a.likeCollection(last, a.projected(idx, a.SortArgs(last)[0]))
	case operator == "tclosure" && len(right) == 2 && right[0] == right[1]:
		return last
	case operator == "iden" && len(right) == 1:
		row = []Sort{right[0], right[0]}
	case operator == "transpose":
		for i := len(right) - 1; i >= 0; i-- {
			row = append(row, right[i])
		}
	}
	if row == nil {
		return SortUnknown
	}
	return a.likeCollection(last, a.Tuple(row...))
}

// joins reports whether numbers are pairs of a column of the left and one of the right.
func joins(idx []uint64, left, right int) bool {
	for i, n := range idx {
		if i%2 == 0 && n >= uint64(left) || i%2 == 1 && n >= uint64(right) {
			return false
		}
	}
	return len(idx)%2 == 0
}

// resultOf returns the sort of the result of applying a function or an array to arguments.
func (a *sortTable) resultOf(f Sort, args ...Sort) Sort {
	for _, x := range args {
		next, ok := a.Applied(f)
		if !ok || a.SortArgs(f)[0] != x {
			return SortUnknown
		}
		f = next
	}
	return f
}

// likeCollection returns the sort of the same kind of collection as the first sort (sets, bags or sequences) with other
// elements.
func (a *sortTable) likeCollection(s, element Sort) Sort {
	if element == SortUnknown {
		return SortUnknown
	}
	switch a.SortKind(s) {
	case KindSet:
		return a.Set(element)
	case KindBag:
		return a.Bag(element)
	}
	return a.Seq(element)
}

// columns returns the sorts of the columns of a relation or a table; nil if it is none.
func (a *sortTable) columns(s Sort) []Sort {
	if k := a.SortKind(s); k != KindSet && k != KindBag || a.SortKind(a.SortArgs(s)[0]) != KindTuple {
		return nil
	}
	return append([]Sort{}, a.SortArgs(a.SortArgs(s)[0])...)
}

// projected returns the sort of tuples of the selected components of a tuple sort.
func (a *sortTable) projected(places []uint64, tuple Sort) Sort {
	if a.SortKind(tuple) != KindTuple {
		return SortUnknown
	}
	row := make([]Sort, len(places))
	for i, p := range places {
		if p >= uint64(len(a.SortArgs(tuple))) {
			return SortUnknown
		}
		row[i] = a.SortArgs(tuple)[p]
	}
	return a.Tuple(row...)
}

// characterSort returns the sort of z3's operators of characters.
func (a *sortTable) characterSort(operator string, arguments int) Sort {
	switch {
	case operator == "<=" && arguments == 2:
		return SortBool
	case arguments != 1:
		return SortUnknown
	}
	switch operator {
	case "to_int":
		return SortInt
	case "is_digit":
		return SortBool
	case "to_bv":
		return a.BitVec(18)
	}
	return SortUnknown
}
