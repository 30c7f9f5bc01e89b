package weight

import (
	"github.com/smtlark/smtlark/engine/language/smt"
)

// Plainer maps operators to others of the same rank that say less or are better known, the plainest first.
var Plainer = map[smt.Op][]smt.Op{
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

// levels has the number of steps from an operator to one without a plainer one; it is part of its weight.
var levels = func() map[smt.Op]int {
	out := map[smt.Op]int{}
	var level func(op smt.Op) int
	level = func(op smt.Op) int {
		if n, ok := out[op]; ok {
			return n
		}
		n := 0
		for _, p := range Plainer[op] {
			n = max(n, level(p)+1)
		}
		out[op] = n
		return n
	}
	for op := range Plainer {
		level(op)
	}
	return out
}()
