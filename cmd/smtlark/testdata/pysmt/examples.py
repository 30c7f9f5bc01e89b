"""pysmt's own list of formulas with known answers, through its generic solver, with smtlark in the place of a solver.

    python3 examples.py SMTLARK [FLAG...]

Prints a line for each formula that is answered otherwise than pysmt's list says, and the counts at the end.
"""

import sys

from pysmt.environment import get_env
from pysmt.exceptions import PysmtException
from pysmt.logics import PYSMT_LOGICS, AUTO, get_closer_logic
from pysmt.oracles import get_logic
from pysmt.shortcuts import Solver
from pysmt.test.examples import get_example_formulae

NAME = "smtlark"


def main(command):
    env = get_env()
    env.enable_infix_notation = True
    logics = [logic for logic in PYSMT_LOGICS if logic.name != "BOOL"]  # pysmt's name for quantified Booleans
    env.factory.add_generic_solver(NAME, command, logics)
    asked = wrong = left_out = 0
    for formula, _valid, satisfiable, _logic in get_example_formulae(env):
        # pysmt writes what SMT-LIB does not have: these characters in symbols, and powers.
        if any(c in x.symbol_name() for x in formula.get_free_variables() for c in "|\\") or "(pow " in formula.to_smtlib(False):
            left_out += 1
            continue
        try:
            logic = get_closer_logic(logics, get_logic(formula, env))
        except PysmtException:  # what this logic is pysmt has no name for
            logic = get_closer_logic(logics, _logic)
        asked += 1
        with Solver(name=NAME, logic=logic) as solver:
            solver.add_assertion(formula)
            answer = solver.solve()
        if answer != satisfiable:
            wrong += 1
            print("wrong:", formula, answer, "instead of", satisfiable)
    print("asked", asked, "wrong", wrong, "left out", left_out)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
