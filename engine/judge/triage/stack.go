package triage

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/smtlark/smtlark/engine/judge/oracle"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/backtrace"
)

// Overflow names the innermost frames of a process that overflowed its stack.
const Overflow = "stack overflow"

// FramesOf returns the functions of a stack that identify a crash: the solver's own innermost ones, at most three,
// without functions that allocate, copy, raise or handle signals. For a stack overflow they are the mutually recursive
// functions, in the order of their names.
func FramesOf(s *backtrace.CallStack) (list []string) {
	if s == nil {
		return nil
	}
	if cycle := s.Recursion(); cycle != nil {
		for _, name := range cycle {
			list = append(list, functionName(name))
		}
		slices.Sort(list)
		list = slices.Compact(list)
		return append([]string{Overflow}, list[:min(len(list), maxFrames)]...)
	}
	frames := s.Frames
	for i := range frames {
		if frames[i].Signal { // frames above it belong to the signal handler
			frames = frames[i+1:]
			break
		}
	}
	for i := range frames {
		f := &frames[i]
		if backtrace.IsSystemLibrary(f.Module) {
			continue
		}
		if name := functionName(f.Name()); name != "" && !runtimeFrame.MatchString(name) {
			list = append(list, name)
		}
		if len(list) == maxFrames {
			break
		}
	}
	return list
}

// allocator matches the functions of the C library's allocator that work on its own data.
var allocator = latePattern(`^(_*int_(malloc|free|realloc|memalign)|malloc_consolidate|unlink_chunk|munmap_chunk|tcache_\w+|systrim|sysmalloc)(\.\w+)*$`)

// diesInAllocator reports whether a process died inside of the allocator, whose data was overwritten before.
func diesInAllocator(s *backtrace.CallStack) bool {
	frames := s.Frames
	if i := slices.IndexFunc(frames, func(f backtrace.Frame) bool { return f.Signal }); i >= 0 {
		frames = frames[i+1:]
	}
	return len(frames) > 0 && backtrace.IsSystemLibrary(frames[0].Module) && allocator.MatchString(frames[0].Name())
}

// PlaceMark separates the functions in the text of a placed signature from the text before them.
const PlaceMark = " at "

// At returns the signature of a crash whose verdict did not tell where the solver crashed, and whose stack was unwound
// after the verdict was signed. The mode, whether it was a program or a library, and the call or command of the crash
// no longer count. If the stack tells nothing either, or if the verdict tells enough by itself, the signature stays the
// same.
func (s Signature) At(v *oracle.Verdict, in Info, stack *backtrace.CallStack) Signature {
	frames := FramesOf(stack)
	if v.Kind != oracle.KindCrash || !s.Vague || len(frames) == 0 {
		return s
	}
	if diesInAllocator(stack) {
		placed := signatureOf(strings.Join([]string{v.Kind, strings.Join(in.solverKinds(v.Targets), ","), solvers.Crash.String(), HeapCorruption}, " | "))
		placed.Skeleton = s.Skeleton
		return placed
	}
	what := stack.Signal
	if f := in.fault(v); f.HandedOver {
		what, frames = f.Place, callersOf(f.Place, frames)
	}
	text := strings.Join([]string{v.Kind, strings.Join(in.solverKinds(v.Targets), ","), v.Class.String(), what + PlaceMark + strings.Join(frames, " < ")}, " | ")
	placed := signatureOf(text)
	placed.Frames, placed.Skeleton, placed.Bucket = frames, s.Skeleton, s.BucketKey()
	return placed
}

// callersOf removes the function that made a check from the frames, if it is there. The compiler may have inlined it
// into its caller, or moved its failing part elsewhere, which then has no name.
func callersOf(place string, frames []string) []string {
	if len(frames) > 1 && (strings.Contains(place, ": "+frames[0]+": ") || strings.Contains(frames[0], "+0x")) {
		return frames[1:]
	}
	return frames
}

// Placed reports whether the signature is that of a crash whose stack was unwound.
func (s *Signature) Placed() bool { return len(s.Frames) > 0 }

// Without returns the signature of a placed crash without the operators of a shape, for use when cases with that shape
// are of no interest.
func (s Signature) Without(shape []string) Signature {
	apart := signatureOf(s.Text + " without " + strings.Join(shape, " "))
	apart.Frames, apart.Skeleton, apart.Bucket = s.Frames, s.Skeleton, s.Bucket
	return apart
}

// similarFrames is the number of functions that two stacks must have in common, in the same order, to count as one
// crash, as in ClusterFuzz (crash_comparer.py, SAME_FRAMES_THRESHOLD).
const similarFrames = 2

// SamePlace reports whether the frames of two placed signatures belong to one place, one of them perhaps with fewer
// frames: the stack of a library ends where it was called.
func SamePlace(a, b []string) bool {
	n := min(len(a), len(b))
	return n >= similarFrames && slices.Equal(a[:n], b[:n])
}

// similarStacks reports whether the frames of two placed signatures have two functions in common, in the same order.
func similarStacks(a, b []string) bool {
	longest := make([]int, len(b)+1) // common subsequence with the first elements of b
	for _, x := range a {
		before := 0
		for j, y := range b {
			was := longest[j+1]
			if x == y {
				longest[j+1] = before + 1
			} else {
				longest[j+1] = max(was, longest[j])
			}
			before = was
		}
	}
	return longest[len(b)] >= similarFrames
}

func signatureOf(text string) Signature {
	sum := sha256.Sum256([]byte(text))
	return Signature{Key: hex.EncodeToString(sum[:8]), Text: text}
}
