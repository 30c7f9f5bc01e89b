/* A C library of a solver with faults on demand: it is linked against the real library, REAL, and stands before some of its
   functions. Making the sort of bit vectors of a width in enum fault asks for that fault, at the next check. */
#include <assert.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum fault { NONE, SEGV = 51, ABORT, WRONG, MODEL, VALUES, CORE, UNKNOWN, MARK, ABORT_IF_MARKED, ABORT_BEHIND, DAEMON };

static enum fault asked; /* for the next check */
static enum fault now;   /* of the latest check, for questions about its answer */
static int marked;       /* MARK has been asked for in this process */
static int told;         /* elements of the core of the latest answer */

static void *real(const char *name) {
  static void *library;
  if (!library && !(library = dlopen(REAL, RTLD_NOW))) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return dlsym(library, name);
}

#define CALL(type, name, ...) ((type(*)())real(name))(__VA_ARGS__)

static void ask(uint32_t width) {
  if (width >= SEGV && width <= DAEMON) asked = width;
}

static void broken_rewriter(int steps) { assert(steps < 0 && "too many steps"); }
static void broken_history(int depth) { assert(depth < 0 && "an earlier level is there"); }
static void broken_search(int level) { assert(level < 0 && "the trail is empty"); }
static void broken_heap(volatile int *node) { *node = 1; }

/* A process that leaves its parent, its process group and its session, and does not end. */
static void leave_daemon(void) {
  pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) pause();
  }
  waitpid(child, NULL, 0);
}

static void before_check(void) {
  now = asked;
  asked = NONE;
  told = 0;
  marked |= now == MARK;
  if (now == SEGV) broken_heap((int *)8);
  if (now == ABORT) broken_rewriter(1);
  if (now == DAEMON) leave_daemon();
  if (now == ABORT_IF_MARKED && marked) broken_history(1);
}

/* A check ends with the answer that the library gave, or with another one. */
static int checked(int answer, int sat, int unsat, int unknown) {
  if (now == ABORT_BEHIND) broken_search(answer);
  if (now == UNKNOWN) return unknown;
  if (now == WRONG) return answer == sat ? unsat : answer == unsat ? sat : answer;
  return answer;
}

/* other_bits returns a text with other bits in its values of bit vectors. */
static const char *other_bits(const char *text) {
  static char *copy;
  free(copy);
  copy = strdup(text);
  for (char *c = copy; *c; c++)
    if (c[0] == '#' && (c[1] == 'b' || c[1] == 'x')) {
      for (c += 2; strchr("0123456789abcdef", c[1]) && c[1]; c++) {}
      *c = *c == '0' ? '1' : '0';
    }
  return copy;
}

/* The constants that were made: MODEL is about their values, VALUES about those of other terms. */
static uintptr_t constants[1024];
static unsigned made;
static uintptr_t constant(uintptr_t term) { return constants[made++ % 1024] = term; }
static int lies_about(uintptr_t term) {
  int is_constant = 0;
  for (unsigned i = 0; i < 1024 && i < made; i++) is_constant |= constants[i] == term;
  return now == (is_constant ? MODEL : VALUES);
}

#if defined(FOR_z3)
void *Z3_mk_bv_sort(void *c, unsigned width) { ask(width); return CALL(void *, "Z3_mk_bv_sort", c, width); }
static int z3_checked(int answer) { return checked(answer, 1, -1, 0); }
int Z3_solver_check(void *c, void *s) { before_check(); return z3_checked(CALL(int, "Z3_solver_check", c, s)); }
int Z3_solver_check_assumptions(void *c, void *s, unsigned n, void *a) {
  before_check();
  return z3_checked(CALL(int, "Z3_solver_check_assumptions", c, s, n, a));
}
const char *Z3_model_to_string(void *c, void *m) {
  const char *text = CALL(const char *, "Z3_model_to_string", c, m);
  return now == MODEL ? other_bits(text) : text;
}
const char *Z3_ast_to_string(void *c, void *a) {
  const char *text = CALL(const char *, "Z3_ast_to_string", c, a);
  return now == VALUES ? other_bits(text) : text;
}
void *Z3_solver_get_unsat_core(void *c, void *s) {
  void *core = CALL(void *, "Z3_solver_get_unsat_core", c, s), *first = 0; /* its order is not always the same */
  unsigned size = CALL(unsigned, "Z3_ast_vector_size", c, core), least = -1;
  if (now != CORE || !size) return core;
  for (unsigned i = 0; i < size; i++) {
    void *element = CALL(void *, "Z3_ast_vector_get", c, core, i);
    unsigned number = CALL(unsigned, "Z3_get_ast_id", c, element);
    if (number < least) least = number, first = element;
  }
  CALL(void, "Z3_ast_vector_set", c, core, 0, first);
  CALL(void, "Z3_ast_vector_resize", c, core, 1);
  return core;
}
#elif defined(FOR_cvc5)
void *cvc5_mk_bv_sort(void *tm, uint32_t width) { ask(width); return CALL(void *, "cvc5_mk_bv_sort", tm, width); }
void *cvc5_check_sat(void *s) { before_check(); return CALL(void *, "cvc5_check_sat", s); }
void *cvc5_check_sat_assuming(void *s, size_t n, void *a) { before_check(); return CALL(void *, "cvc5_check_sat_assuming", s, n, a); }
static int cvc5_answer(void *result) {
  int sat = CALL(int, "cvc5_result_is_sat", result) & 255, unsat = CALL(int, "cvc5_result_is_unsat", result) & 255;
  return checked(sat ? 1 : unsat ? -1 : 0, 1, -1, 0);
}
_Bool cvc5_result_is_sat(void *result) { return cvc5_answer(result) == 1; }
_Bool cvc5_result_is_unsat(void *result) { return cvc5_answer(result) == -1; }
const char *cvc5_get_model(void *s, size_t sorts, void *a, size_t constants, void *b) {
  const char *text = CALL(const char *, "cvc5_get_model", s, sorts, a, constants, b);
  return now == MODEL ? other_bits(text) : text;
}
const char *cvc5_term_to_string(void *t) {
  const char *text = CALL(const char *, "cvc5_term_to_string", t);
  return now == VALUES ? other_bits(text) : text;
}
void *cvc5_get_unsat_core(void *s, size_t *n) {
  void *core = CALL(void *, "cvc5_get_unsat_core", s, n);
  if (now == CORE) *n = 1;
  return core;
}
#elif defined(FOR_bitwuzla)
void *bitwuzla_mk_bv_sort(void *tm, uint64_t width) { ask(width); return CALL(void *, "bitwuzla_mk_bv_sort", tm, width); }
void *bitwuzla_mk_const(void *tm, void *sort, const char *name) { return (void *)constant(CALL(uintptr_t, "bitwuzla_mk_const", tm, sort, name)); }
static int bitwuzla_checked(int answer) { return checked(answer, 10, 20, 0); }
int bitwuzla_check_sat(void *b) { before_check(); return bitwuzla_checked(CALL(int, "bitwuzla_check_sat", b)); }
int bitwuzla_check_sat_assuming(void *b, uint32_t n, void *a) {
  before_check();
  return bitwuzla_checked(CALL(int, "bitwuzla_check_sat_assuming", b, n, a));
}
static int lying;
void *bitwuzla_get_value(void *b, uintptr_t t) { lying = lies_about(t); return CALL(void *, "bitwuzla_get_value", b, t); }
const char *bitwuzla_term_to_string(void *t) {
  const char *text = CALL(const char *, "bitwuzla_term_to_string", t);
  return lying ? other_bits(text) : text;
}
void *bitwuzla_get_unsat_core(void *b, size_t *n) {
  void *core = CALL(void *, "bitwuzla_get_unsat_core", b, n);
  if (now == CORE) *n = 1;
  return core;
}
#elif defined(FOR_boolector)
void *boolector_bitvec_sort(void *b, uint32_t width) { ask(width); return CALL(void *, "boolector_bitvec_sort", b, width); }
void *boolector_var(void *b, void *sort, const char *name) { return (void *)constant(CALL(uintptr_t, "boolector_var", b, sort, name)); }
int boolector_sat(void *b) { before_check(); return checked(CALL(int, "boolector_sat", b), 10, 20, 0); }
char *boolector_bv_assignment(void *b, uintptr_t node) {
  char *text = CALL(char *, "boolector_bv_assignment", b, node);
  if (lies_about(node)) {
    char *last = text + strlen(text) - 1;
    *last = *last == '0' ? '1' : '0';
  }
  return text;
}
_Bool boolector_failed(void *b, void *node) {
  _Bool failed = CALL(int, "boolector_failed", b, node) & 255;
  return failed && (now != CORE || !told++);
}
#elif defined(FOR_yices2)
int yices_bv_type(uint32_t width) { ask(width); return CALL(int, "yices_bv_type", width); }
int yices_new_uninterpreted_term(int type) { return constant(CALL(int, "yices_new_uninterpreted_term", type)); }
static int yices_checked(int answer) { return checked(answer, 3, 4, 2); }
int yices_check_context(void *c, void *p) { before_check(); return yices_checked(CALL(int, "yices_check_context", c, p)); }
int yices_check_context_with_assumptions(void *c, void *p, uint32_t n, void *a) {
  before_check();
  return yices_checked(CALL(int, "yices_check_context_with_assumptions", c, p, n, a));
}
int yices_get_bv_value(void *m, int term, int *bits) {
  int code = CALL(int, "yices_get_bv_value", m, term, bits);
  if (code >= 0 && lies_about(term)) *bits = !*bits;
  return code;
}
int yices_get_unsat_core(void *c, uint32_t *vector) { /* its second word is the number of its elements */
  int code = CALL(int, "yices_get_unsat_core", c, vector);
  if (now == CORE && vector[1] > 1) vector[1] = 1;
  return code;
}
#endif
