package reduce

// minimize removes elements from 0..n-1 as long as try accepts what remains. It is the complement half of delta
// debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", TSE 2002): chunks of half the
// elements, then of half that size, down to single ones, until no single element can go. try is given the elements
// kept, in order, and must not hold on to the slice. With more to come it reports stop, and minimize returns what it has.
func minimize(n int, try func(keep []int) (ok, stop bool)) []int {
	kept := make([]int, n)
	for i := range kept {
		kept[i] = i
	}
	if n == 0 {
		return kept
	}
	if ok, stop := try(nil); ok {
		return nil
	} else if stop {
		return kept
	}
	scratch := make([]int, 0, n)
	for size := (n + 1) / 2; size >= 1; {
		removed := false
		for at := 0; at < len(kept); {
			end := min(at+size, len(kept))
			if at == 0 && end == len(kept) { // nothing left of it was tried before
				break
			}
			scratch = append(append(scratch[:0], kept[:at]...), kept[end:]...)
			ok, stop := try(scratch)
			if stop {
				return kept
			}
			if ok {
				kept = append(kept[:at], kept[end:]...)
				removed = true
			} else {
				at = end
			}
		}
		switch {
		case size > 1:
			size = min(size/2, max(1, (len(kept)+1)/2))
		case !removed:
			return kept
		}
	}
	return kept
}

// sweep applies edits 0..n-1 in chunks, from all of them down to one at a time: apply is given a range of edits and
// reports whether it kept them. Edits of a chunk that was kept are not tried again. Where localized failures are common
// this needs a number of tests in the order of the logarithm of n.
func sweep(n int, apply func(from, to int) (ok, stop bool)) (kept int) {
	if n == 0 {
		return 0
	}
	type span struct{ from, to int }
	todo := []span{{0, n}}
	for len(todo) > 0 {
		var next []span
		for _, s := range todo {
			ok, stop := apply(s.from, s.to)
			switch {
			case stop:
				return kept
			case ok:
				kept += s.to - s.from
			case s.to-s.from > 1:
				mid := (s.from + s.to) / 2
				next = append(next, span{s.from, mid}, span{mid, s.to})
			}
		}
		todo = next
	}
	return kept
}
