// Package command scores candidates with a program in any language: a [Pool] keeps persistent worker
// processes and speaks JSON lines with them over stdin and stdout.
//
// A request is one line, the answer one line:
//
//	{"id":7,"candidate":{"rule":"…","ast":{…},"python":"…"},"task":{…}}
//	{"id":7,"score":0.83}                 optional "cost" (a finite number >= 0) and "detail" (any JSON)
//	{"id":7,"error":"division by zero"}   the candidate's own failure, in the evaluator's words
//
// The rule comes as text, as a JSON AST and as Python source, so that an evaluator needs no parser.
// A score is finite and in [0, 1]; anything else, a silence included, is a [*Failure] with its cause.
// Workers start lazily and are reused, most recent first; one that times out or breaks the protocol is killed
// with its whole process tree and replaced. A program that answers one line and exits works too, it only pays
// for a start each time.
//
// # Whose failure
//
// The class of a failure depends on its kind alone, never on what happened before it. Kinds for which
// [FailureKind.Infrastructure] is true (no process could be started, something outside killed it) say nothing
// about the candidate and may be retried. All others are data: the candidate scores 0 with that cause. Since a worker
// carries state from call to call, the ambiguous ones (an exit, a line that is not the reply) count only when
// a fresh worker repeats them; see [Spec.Retries]. An evaluator that is broken for everybody therefore shows as a
// failure of the first candidate scored, which is why a run scores its seed before anything else.
//
// # Containment
//
// An evaluator gets a short list of environment variables and no others, and its output is read within bounds.
// How much of its process tree can be killed depends on the platform:
//
//   - Linux: the evaluator runs below a small supervisor, this executable started again (see [ShimMain]), which is a
//     child subreaper: orphans, double forks and setsid escapes become its children, and it kills until wait
//     reports that none is left. It does so on timeout, on a limit, when the evaluator ends and when this
//     process dies, even by SIGKILL. All limits work. Out of reach: work handed to a daemon (docker, systemd, at),
//     and whatever is left when the evaluator kills the supervisor itself and has also cleared its environment.
//   - Other Unix: the process group is killed. A descendant that left the group (setsid) survives, and so does the tree
//     when this process is killed, until it reads the end of its stdin. Limits are refused by [Spec.Validate].
//   - Elsewhere (Windows): the process alone is killed. Limits are refused.
//
// None of this is a security boundary. To run code that nobody vouches for, put a sandbox in front of the command
// (bwrap, docker run -i, unshare): the protocol needs only stdin and stdout.
//
// A Pool is safe for concurrent use. Which worker serves a call is not deterministic; an evaluator whose answer depends on
// earlier calls is not either. Time limits are wall time: a slow machine can turn an answer into a timeout.
package command
