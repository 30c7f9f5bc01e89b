"""Reads SMT-LIB as a solver's program does, by the parser of its Python module: some releases have no program.

It lies beside the module cvc5 or bitwuzla. The arguments are the options of the program and at most one file. Without a
file it reads the standard input and replies to each command as it comes.
"""

import ctypes
import glob
import os
import re
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r'"[^"]*"|\|[^|]*\||;[^\n]*(?=\n)|[()]')
OPEN = re.compile(r'["|;]')
REASON = re.compile(r"^unknown \([A-Z_]+\)")
NAME = re.compile(r"\s*(?:;[^\n]*\n\s*)*\(\s*([^\s()]+)")


def commands(chunks):
    """The commands of a text that comes in pieces, each with what stands before it."""
    held, depth, at = "", 0, 0
    for piece in chunks:
        held += piece
        begin = 0
        while True:
            token = TOKEN.search(held, at)
            # A string, a quoted symbol or a comment may go on in the next piece.
            cut = OPEN.search(held, at, token.start() if token else len(held))
            if cut:
                at = cut.start()
                break
            if not token:
                at = len(held)
                break
            at = token.end()
            if token.group() == "(":
                depth += 1
            elif token.group() == ")":
                depth -= 1
                if depth <= 0:
                    depth = 0
                    yield held[begin:at]
                    begin = at
        held, at = held[begin:], at - begin
    if held.strip():
        yield held


def pieces(fd):
    """What is there to read, as soon as it is there."""
    while True:
        data = os.read(fd, 1 << 16)
        if not data:
            return
        yield data.decode("latin-1")


def name_of(command):
    found = NAME.match(command)
    return found.group(1) if found else ""


def quoted(text):
    return '(error "%s")\n' % text.replace('"', '""')


def write(fd, text):
    data = text.encode("latin-1", "replace")
    while data:
        data = data[os.write(fd, data) :]


class Cvc5:
    def __init__(self):
        sys.path.insert(0, HERE)
        import cvc5

        self.module = cvc5

    def version(self):
        return "This is cvc5 version %s\nits Python module, driven by smtlib.py" % self.module.__version__

    def begin(self, options):
        self.options = options
        cvc5 = self.module
        terms = cvc5.TermManager()
        self.solver = cvc5.Solver(terms)
        self.solver.setOption("incremental", "false")  # as the program begins
        for option in options:
            try:
                self.set(option)
            except Exception as mistake:
                write(2, "(error \"%s\")\n" % mistake)
                sys.exit(1)
        self.symbols = cvc5.SymbolManager(terms)
        self.parser = cvc5.InputParser(self.solver, self.symbols)

    def set(self, option):
        if option == "-q":
            return
        if option == "-v":
            option = "--verbosity=1"
        if not option.startswith("--"):
            raise ValueError("unknown option %s" % option)
        name, has, value = option[2:].partition("=")
        if name == "lang":
            return
        if not has:
            value = "true"
            if name.startswith("no-"):
                name, value = name[3:], "false"
        self.solver.setOption(name, value)

    def end(self):
        return True

    def do(self, text):
        """Carries out a command, and reports whether more may follow."""
        try:
            # At the end of a text the parser forgets where it reads, not what was declared.
            self.parser.setStringInput(self.module.InputLanguage.SMT_LIB_2_6, text, "<stdin>")
            while True:
                command = self.parser.nextCommand()
                if command.isNull():
                    return True
                name = command.getCommandName()
                if name == "reset":
                    self.begin(self.options)
                    return True
                said = command.invoke(self.solver, self.symbols)
                if name.startswith("check-sat"):
                    said = REASON.sub("unknown", said)  # the module adds the reason, as the program does not
                write(1, said)
                if said.startswith("(error ") and not name.startswith("get-"):
                    return False
                if name == "exit":
                    sys.exit(0)
        except RuntimeError as mistake:
            write(1, quoted("Parse Error: <stdin>: %s" % mistake))
            return False


class Bitwuzla:
    def __init__(self):
        sys.path.insert(0, HERE)
        import bitwuzla

        self.module = bitwuzla
        # At the end of its first text the parser makes the solver, and options no longer count: settings wait for what follows.
        self.held = ""
        self.flush = ctypes.CDLL(None).fflush

    def version(self):
        return self.module.version()

    def begin(self, options):
        set_to = self.module.Options()
        try:
            if options:
                set_to.set_args(*options)
            self.parser = self.module.Parser(self.module.TermManager(), set_to)
        except Exception as mistake:
            write(2, "[error] %s\n" % mistake)
            sys.exit(1)

    def do(self, text):
        if name_of(text) == "reset":
            self.held = (self.held or "") + text
            return True
        if self.held is not None:
            if name_of(text) in ("set-option", "set-info", "set-logic"):
                self.held += text
                return True
            if name_of(text) == "echo":
                write(1, text[text.find('"') : text.rfind('"') + 1] + "\n")
                return True
            self.held, text = None, self.held + text
        return self.parse(text)

    def end(self):
        return not self.held or self.parse(self.held)

    def parse(self, text):
        try:
            self.parser.parse(text, False, False)
        except self.module.BitwuzlaException as mistake:
            self.flush(None)
            write(2, "[error] %s\n" % mistake)
            return False
        self.flush(None)
        if text.endswith(")") and re.search(r"\(\s*exit\s*\)$", text):
            sys.exit(0)
        return True


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    solver = Cvc5() if glob.glob(os.path.join(HERE, "cvc5")) else Bitwuzla()
    options = [a for a in sys.argv[1:] if a.startswith("-")]
    files = [a for a in sys.argv[1:] if not a.startswith("-")]
    if "--version" in options:
        write(1, solver.version() + "\n")
        return
    if len(files) > 1:
        write(2, "smtlib.py: more than one file\n")
        sys.exit(1)
    solver.begin(options)
    try:
        fd = os.open(files[0], os.O_RDONLY) if files else 0
    except OSError as mistake:
        write(2, "smtlib.py: %s\n" % mistake)
        sys.exit(1)
    for command in commands(pieces(fd)):
        if not solver.do(command):
            sys.exit(1)
    if not solver.end():
        sys.exit(1)


main()
