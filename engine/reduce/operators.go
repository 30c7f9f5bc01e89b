package reduce

import (
	"slices"

	"github.com/smtlark/smtlark/engine/smt"
)

// plainer maps operators to others of the same rank that say less or are better known, the plainest first.
var plainer = map[smt.Op][]smt.Op{
	smt.OpXor: {smt.OpOr, smt.OpDistinct}, smt.OpImplies: {smt.OpOr}, smt.OpDistinct: {smt.OpEq},
	smt.OpLe: {smt.OpEq, smt.OpLt}, smt.OpGe: {smt.OpEq, smt.OpGt},
	smt.OpMod: {smt.OpAdd, smt.OpIntDiv}, smt.OpRem: {smt.OpAdd, smt.OpMod}, smt.OpIntDiv: {smt.OpAdd}, smt.OpDiv: {smt.OpAdd},
	smt.OpPow: {smt.OpMul}, smt.OpAbs: {smt.OpSub},
	smt.OpBVNand: {smt.OpBVAnd}, smt.OpBVNor: {smt.OpBVOr}, smt.OpBVXnor: {smt.OpBVXor}, smt.OpBVXor: {smt.OpBVAnd},
	smt.OpBVSub: {smt.OpBVAdd}, smt.OpBVUdiv: {smt.OpBVAdd}, smt.OpBVUrem: {smt.OpBVAdd, smt.OpBVUdiv},
	smt.OpBVSdiv: {smt.OpBVAdd, smt.OpBVUdiv}, smt.OpBVSrem: {smt.OpBVAdd, smt.OpBVUrem}, smt.OpBVSmod: {smt.OpBVAdd, smt.OpBVUrem, smt.OpBVSrem},
	smt.OpBVShl: {smt.OpBVAdd}, smt.OpBVLshr: {smt.OpBVAdd, smt.OpBVShl}, smt.OpBVAshr: {smt.OpBVAdd, smt.OpBVLshr}, smt.OpBVNeg: {smt.OpBVNot},
	smt.OpBVUle: {smt.OpEq, smt.OpBVUlt}, smt.OpBVUge: {smt.OpEq, smt.OpBVUgt},
	smt.OpBVSle: {smt.OpEq, smt.OpBVUlt, smt.OpBVSlt}, smt.OpBVSge: {smt.OpEq, smt.OpBVUlt, smt.OpBVSgt}, smt.OpBVSlt: {smt.OpEq, smt.OpBVUlt}, smt.OpBVSgt: {smt.OpEq, smt.OpBVUgt},
	smt.OpBVUaddo: {smt.OpBVUlt}, smt.OpBVSaddo: {smt.OpBVUlt, smt.OpBVUaddo}, smt.OpBVUmulo: {smt.OpBVUlt, smt.OpBVUaddo}, smt.OpBVSmulo: {smt.OpBVUlt, smt.OpBVUmulo},
	smt.OpBVUsubo: {smt.OpBVUlt}, smt.OpBVSsubo: {smt.OpBVUlt}, smt.OpBVSdivo: {smt.OpBVUlt},
	smt.OpSignExtend: {smt.OpZeroExtend}, smt.OpRotateRight: {smt.OpRotateLeft},
	smt.OpFPSub: {smt.OpFPAdd}, smt.OpFPMul: {smt.OpFPAdd}, smt.OpFPDiv: {smt.OpFPAdd, smt.OpFPMul}, smt.OpFPRem: {smt.OpFPMin}, smt.OpFPMax: {smt.OpFPMin},
	smt.OpFPSqrt: {smt.OpFPRoundToIntegral}, smt.OpFPLeq: {smt.OpEq, smt.OpFPLt}, smt.OpFPGeq: {smt.OpEq, smt.OpFPGt}, smt.OpFPEq: {smt.OpEq},
	smt.OpFPIsNormal: {smt.OpFPIsZero}, smt.OpFPIsSubnormal: {smt.OpFPIsZero}, smt.OpToFPUnsigned: {smt.OpToFP}, smt.OpFPToSbv: {smt.OpFPToUbv}, smt.OpSbvToInt: {smt.OpUbvToInt},
	smt.OpStrContains: {smt.OpEq}, smt.OpStrPrefixOf: {smt.OpEq, smt.OpStrContains}, smt.OpStrSuffixOf: {smt.OpEq, smt.OpStrContains}, smt.OpStrLt: {smt.OpEq}, smt.OpStrLe: {smt.OpEq, smt.OpStrLt},
	smt.OpStrReplaceAll: {smt.OpStrReplace}, smt.OpStrReplaceReAll: {smt.OpStrReplaceRe}, smt.OpStrToCode: {smt.OpStrLen}, smt.OpStrToInt: {smt.OpStrLen}, smt.OpStrFromCode: {smt.OpStrFromInt},
	smt.OpStrToUpper: {smt.OpStrToLower}, smt.OpReDiff: {smt.OpReUnion, smt.OpReInter}, smt.OpReInter: {smt.OpReUnion}, smt.OpReLoop: {smt.OpReStar}, smt.OpRePower: {smt.OpReStar}, smt.OpRePlus: {smt.OpReStar},
	smt.OpReOpt: {smt.OpReStar}, smt.OpReComp: {smt.OpReStar},
	smt.OpSeqContains: {smt.OpEq}, smt.OpSeqPrefixOf: {smt.OpEq, smt.OpSeqContains}, smt.OpSeqSuffixOf: {smt.OpEq, smt.OpSeqContains}, smt.OpSeqReplaceAll: {smt.OpSeqReplace},
	smt.OpSetSubset: {smt.OpEq}, smt.OpSetMinus: {smt.OpSetUnion, smt.OpSetInter}, smt.OpSetInter: {smt.OpSetUnion},
	smt.OpBagSubbag: {smt.OpEq}, smt.OpFFMul: {smt.OpFFAdd},
	smt.OpRNA: {smt.OpRNE}, smt.OpRTP: {smt.OpRNE}, smt.OpRTN: {smt.OpRNE, smt.OpRTP}, smt.OpRTZ: {smt.OpRNE, smt.OpRTP},
	smt.OpExists: nil, smt.OpForall: nil,
}

// levels is how many steps an operator is away from one without a plainer one; it is part of its weight.
var levels = func() map[smt.Op]int {
	out := map[smt.Op]int{}
	var level func(op smt.Op) int
	level = func(op smt.Op) int {
		if n, ok := out[op]; ok {
			return n
		}
		n := 0
		for _, p := range plainer[op] {
			n = max(n, level(p)+1)
		}
		out[op] = n
		return n
	}
	for op := range plainer {
		level(op)
	}
	return out
}()

// byOperator replaces operators by plainer ones that take the same arguments.
func (s *session) byOperator() {
	a := s.a
	s.applyRounds(func(t smt.Term) []smt.Term {
		var out []smt.Term
		for _, op := range plainer[a.Op(t)] {
			idx := slices.Clone(a.Indices(t))
			if op == smt.OpReStar {
				idx = nil
			}
			by, err := a.App(op, idx, a.CopyArgs(t)...)
			if err == nil && a.Sort(by) == a.Sort(t) {
				out = append(out, by)
			}
		}
		return out
	})
}

// smallerIndices makes the indices of operators smaller where the sort does not depend on them.
func (s *session) smallerIndices() {
	a := s.a
	s.applyRounds(func(t smt.Term) []smt.Term {
		if a.Op(t).Structural() || len(a.Indices(t)) == 0 {
			return nil
		}
		var nums []uint64
		for _, i := range a.Indices(t) {
			n, ok := a.IndexUint(i)
			if !ok {
				return nil
			}
			nums = append(nums, n)
		}
		var out []smt.Term
		try := func(ns ...uint64) {
			idx := make([]smt.Index, len(ns))
			for i, n := range ns {
				idx[i] = a.NumIndex(n)
			}
			if by, err := a.App(a.Op(t), idx, a.CopyArgs(t)...); err == nil && a.Sort(by) == a.Sort(t) && by != t {
				out = append(out, by)
			}
		}
		switch {
		case a.Op(t) == smt.OpExtract:
			if nums[1] > 0 {
				try(nums[0]-nums[1], 0)
			}
		case len(nums) == 1:
			for _, n := range []uint64{0, 1, nums[0] / 2, nums[0] - 1} {
				if n < nums[0] {
					try(n)
				}
			}
		case len(nums) == 2 && a.Op(t) == smt.OpReLoop:
			for _, n := range [][2]uint64{{0, 0}, {0, 1}, {1, 1}, {1, 2}, {0, nums[1]}, {nums[0], nums[0]}, {nums[0] / 2, nums[1] / 2}} {
				if n[0] <= n[1] && n[0] <= nums[0] && n[1] <= nums[1] {
					try(n[0], n[1])
				}
			}
		}
		return out
	})
}
