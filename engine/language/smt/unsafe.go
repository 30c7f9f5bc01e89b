package smt

import "unsafe"

// Term, Index and the slab's words are the same 32 bits; these views avoid a copy for every access to a node.

func asTerms(s []uint32) []Term { return unsafe.Slice((*Term)(unsafe.SliceData(s)), len(s)) }

func asIndices(s []uint32) []Index { return unsafe.Slice((*Index)(unsafe.SliceData(s)), len(s)) }
