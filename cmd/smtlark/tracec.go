package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/smtlark/smtlark/engine/smtlib"
	"github.com/smtlark/smtlark/solvers"
	"github.com/smtlark/smtlark/solvers/native"
	"github.com/smtlark/smtlark/starlark"
)

// recordC plays a trace on a library and returns the C program of the calls that this has made.
func recordC(ctx context.Context, t *solvers.Trace, api, library string) (string, error) {
	found, err := findLibrary(ctx, script.Supply(), api, library)
	if err != nil {
		return "", err
	}
	if found.Unusable != "" {
		return "", fmt.Errorf("%s: %s", found.Name, found.Unusable)
	}
	return native.ProgramC(ctx, found, t.AppendTo(nil), nil)
}

// headerC writes a C program for a library that is not here, over its header.
func headerC(t *solvers.Trace, api string) (string, error) {
	switch api {
	case "z3":
		return traceZ3(t), nil
	case "bitwuzla":
		return traceBitwuzla(t)
	}
	return "", fmt.Errorf("trace c --header needs --api z3 or --api bitwuzla, got %q; without --header it takes any library that is here", api)
}

// conditionC is the condition of a call, as C.
func conditionC(when smtlib.Answer, values map[smtlib.Answer]string) string {
	if when == smtlib.None {
		return ""
	}
	return fmt.Sprintf("if (last == %s) ", values[when])
}

// traceZ3 writes a program for libz3. Commands go through Z3_eval_smtlib2_string one by one, on one context.
func traceZ3(t *solvers.Trace) string {
	var b strings.Builder
	b.WriteString(`/* cc trace.c -lz3 && ./a.out */
#include <stdio.h>
#include <string.h>
#include <z3.h>

static Z3_context ctx;
static const char *last = "";

static void run(const char *command)
{
    static char answer[16];
    const char *reply = Z3_eval_smtlib2_string(ctx, command);
    printf("%s\n%s", command, reply);
    if (!strncmp(reply, "sat", 3) || !strncmp(reply, "unsat", 5) || !strncmp(reply, "unknown", 7)) {
        strncpy(answer, reply, sizeof answer - 1);
        answer[strcspn(answer, "\n")] = 0;
        last = answer;
    }
}

static void on_error(Z3_context c, Z3_error_code e) { fprintf(stderr, "z3: %s\n", Z3_get_error_msg(c, e)); }

int main(void)
{
    Z3_config cfg = Z3_mk_config();
    ctx = Z3_mk_context(cfg);
    Z3_set_error_handler(ctx, on_error);
`)
	var p smtlib.Printer
	for i := range t.Calls {
		c := &t.Calls[i]
		if c.Kind != solvers.CallCommand || c.Instance != 0 {
			continue
		}
		b.WriteString("    ")
		if c.When != smtlib.None {
			fmt.Fprintf(&b, "if (!strcmp(last, %q)) ", c.When.String())
		}
		fmt.Fprintf(&b, "run(%s);\n", native.QuoteC(string(p.Command(nil, t.Arena, &c.Command))))
	}
	b.WriteString("    Z3_del_context(ctx);\n    Z3_del_config(cfg);\n    return 0;\n}\n")
	return b.String()
}
