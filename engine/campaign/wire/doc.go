// Package wire is the worker protocol. Coordinator and worker exchange one JSON object a line: orders one way, reports the other.
//
//	hello          -> the campaign file and its options; answered by hello and then plan or failed
//	cases  job     -> make and run the cases from..to-1; answered by case and result or skip for each, then done
//	confirm job    -> try a verdict again in fresh processes; answered by confirmed
//	reduce job     -> make a case smaller; answered by any number of best, then reduced
//	recheck job    -> look at a finding of the store again, with the versions that the campaign has; answered by rechecked
//	reproduce job  -> run what a repro.star asks for; answered by reproduced
//	show job       -> make one case and return its text; answered by shown or skip
//	known          -> signatures whose cases need not be sent any more
//	forget         -> signatures whose cases are to be sent again
//	distrust       -> seeds whose labels are wrong: cases whose known answers rest on them are skipped
//	stop           -> end the running range after its current case; done says where
//	cut            -> cancel the current case, confirmation or reduction
//
// beat, every second, says what a worker has spent and what it does. It is no sign of life: a worker that hangs beats on.
//
// stage, at any time in a confirmation or a reduction, says in words what it has come to.
//
// case n is written before anything of case n happens, in the same write as the result of the case before it. So a
// death of the worker names its case, and a result that was written is never lost.
package wire
