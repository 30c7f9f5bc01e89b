#!/bin/sh
# planted.sh [--coverage | --edges [--sound] | --check] [FOLDER]
#
# Builds Boolector, Bitwuzla and OpenSMT with the defects of tools/planted/SOLVER/NN.txtar into FOLDER (default: .planted beside
# this folder): programs in FOLDER/bin, libraries in FOLDER/lib. All defects sleep; SMTLARK_PLANTED=7 in the environment of a
# solver wakes its seventh, and SMTLARK_PLANTED_HITS=FILE has it write there how often it came by. "go run ./tools/bench planted
# --planted FOLDER" measures how long it takes to find them.
#
# --check: build nothing and run the witness of each defect, which must show with its switch on and not with it off.
# --coverage: build Boolector without defects and with counters of lines (gcov) into FOLDER/coverage.
# --edges: build with the compilers of AFL++, whose counters of edges smtlark reads, and with line tables, into FOLDER/edges.
# --edges --sound: the same without defects, into FOLDER/edges-sound. tools/coverage.sh makes both.
#
# Sources: crates.io has those of Boolector, Bitwuzla and CaDiCaL in the crates boolector-sys, bitwuzla-sys and
# cadical-sys, which cargo fetches and checks; SymFPU and GMP are Debian's libsymfpu-dev and libgmp-dev. BOOLECTOR and
# BITWUZLA in the environment name other folders of sources, such as those of "apt-get source boolector bitwuzla"; where an
# edit does not fit them, the build stops. OPENSMT names those of OpenSMT (commit e4c80308, with cmake, flex, bison and GMP);
# without it OpenSMT is left out. Its own mistakes stay in beside the planted ones.
# JOBS says how many compilers run at once (default 2).
set -eu

die() { printf 'planted: %s\n' "$*" >&2; exit 1; }
note() { printf 'planted: %s\n' "$*" >&2; }

usage="usage: planted.sh [--coverage | --edges [--sound] | --check] [FOLDER]"
mode=build
defects=yes
while [ $# -gt 0 ]; do
	case $1 in
	--check) mode=check; shift ;;
	--coverage) mode=coverage; defects=no; shift ;;
	--edges) mode=edges; shift ;;
	--sound) defects=no; shift ;;
	-*) die "$usage" ;;
	*) break ;;
	esac
done
[ $# -le 1 ] || die "$usage"
[ $mode != build ] || [ $defects = yes ] || die "$usage"
tools=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$tools/../.planted}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
jobs=${JOBS:-2}

# tool ARGUMENT...: the program of tools/planted, from the module it is in.
tool() { (cd "$tools/.." && go run ./tools/planted "$@"); }

if [ $mode = check ]; then
	tool check "$tools/planted" "$folder"
	exit
fi

cc=gcc
cxx=g++
if [ $mode = edges ]; then
	cc=afl-clang-fast
	cxx=afl-clang-fast++
	command -v $cc >/dev/null || die "$cc is needed: apt-get install afl++ clang"
fi
for program in cargo go gcc g++ make ar; do
	command -v $program >/dev/null || die "$program is needed"
done

# crates: the three packages with sources; their build scripts are not run.
if [ ! -d "$folder/crates/vendor" ]; then
	mkdir -p "$folder/crates/src"
	: >"$folder/crates/src/lib.rs"
	cat >"$folder/crates/Cargo.toml" <<-TOML
		[package]
		name = "sources"
		version = "0.0.0"
		edition = "2021"
		[dependencies]
		boolector-sys = "=0.7.2"
		bitwuzla-sys = "=0.8.0"
		cadical-sys = "=0.8.0"
		[workspace]
	TOML
	(cd "$folder/crates" && cargo vendor --quiet --versioned-dirs vendor >/dev/null) || die "cargo could not fetch the sources"
fi
vendor=$folder/crates/vendor
boolector=${BOOLECTOR:-$vendor/boolector-sys-0.7.2/boolector}
bitwuzla=${BITWUZLA:-$vendor/bitwuzla-sys-0.8.0/bitwuzla}
cadical=$vendor/cadical-sys-0.8.0/cadical

# headers that a crate does not have: installed ones, else those of Debian's packages, unpacked here.
[ -f /usr/include/gmpxx.h ] || die "the headers of GMP are missing: apt-get install libgmp-dev"
if [ ! -d /usr/include/symfpu ] && [ ! -d "$folder/debian/usr/include/symfpu" ]; then
	mkdir -p "$folder/debian"
	(cd "$folder/debian" && apt-get -qq download libsymfpu-dev && dpkg -x libsymfpu-dev*.deb .) ||
		die "the headers of SymFPU are missing: apt-get install libsymfpu-dev"
fi

# generated headers, which the build systems of the solvers would make.
headers() {
	mkdir -p "$1"
	sed -e 's/@is_debug_build@/false/; s/@is_dev_version@ && @is_git_version@/false/; s/@git_id@//; s/@version@/0.8.0-planted/g' \
		-e 's/@license@//; s/@os@/linux/; s/@cc@/gcc/; s/@cxx@/g++/' "$bitwuzla/src/config.h.in" >"$1/config.h"
	sed -e 's/@VERSION@/3.2.2-planted/; s/@[A-Z_0-9]*@//g' "$boolector/src/btorconfig.h.in" >"$1/btorconfig.h"
	# Boolector's reader of BTOR2 needs a library that nothing else does: it is left out.
	cat >"$1/btorbtor2.c" <<-'C'
		#include "parser/btorbtor2.h"
		static void *begin (Btor *btor) { return btor; }
		static void end (void *parser) { (void) parser; }
		static const char *parse (void) { return "BTOR2 is not built in"; }
		static BtorParserAPI api = {(BtorInitParser) begin, (BtorResetParser) end, (BtorParse) parse};
		const BtorParserAPI *btor_parsebtor2_parser_api (void) { return &api; }
	C
}

work=$folder
goals="bin/boolector bin/bitwuzla lib/libboolector.so lib/libbitwuzla.so"
flags=-O2
case $mode in
coverage)
	work=$folder/coverage
	goals="bin/boolector lib/libboolector.so"
	flags="-O1 -g --coverage -fprofile-update=atomic"
	;;
edges)
	work=$folder/edges
	[ $defects = yes ] || work=$folder/edges-sound
	goals="bin/boolector bin/bitwuzla"
	flags="-O2 -gline-tables-only"
	export AFL_QUIET=1
	;;
esac
mkdir -p "$work/bin" "$work/lib"
rm -rf "$work/source.new"
mkdir "$work/source.new"
opensmt=
if [ $mode = build ] && [ -n "${OPENSMT:-}" ]; then
	for program in cmake flex bison; do
		command -v $program >/dev/null || die "$program is needed for OpenSMT"
	done
	opensmt=$(cd "$OPENSMT" && pwd)
	mkdir "$work/source.new/opensmt"
	(cd "$opensmt" && tar -cf - --exclude=./build --exclude=./.git .) | (cd "$work/source.new/opensmt" && tar -xf -)
fi
cp -R "$boolector" "$work/source.new/boolector"
cp -R "$bitwuzla" "$work/source.new/bitwuzla"
cp -R "$cadical" "$work/source.new/cadical"
headers "$work/source.new/generated"
if [ $defects = yes ]; then
	tool plant "$tools/planted" "$work/source.new"
	rm -rf "$work/defects"
	mkdir "$work/defects"
	cp -R "$tools/planted/boolector" "$tools/planted/bitwuzla" "$work/defects/"
	[ -z "$opensmt" ] || cp -R "$tools/planted/opensmt" "$work/defects/"
	cp "$tools/planted/switch/planted.h" "$tools/planted/switch/planted.c" "$work/source.new/generated/"
else
	: >"$work/source.new/generated/planted.h"
	: >"$work/source.new/generated/planted.c"
fi
if [ $mode = coverage ]; then
	# A solver that is ended by a signal still writes its counters.
	cat >"$work/source.new/generated/planted.c" <<-'C'
		#include <signal.h>
		#include <stdlib.h>
		extern void __gcov_dump (void);
		static void leave (int number) { __gcov_dump (); signal (number, SIG_DFL); raise (number); }
		__attribute__ ((constructor)) static void begin (void)
		{
		  int numbers[] = {SIGTERM, SIGINT, SIGXCPU, SIGSEGV, SIGABRT, SIGFPE};
		  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) signal (numbers[i], leave);
		}
	C
fi
# Files that did not change keep their time, so that only what changed is compiled again.
mkdir -p "$work/source"
(cd "$work/source.new" && find . -type f) | while IFS= read -r file; do
	cmp -s "$work/source.new/$file" "$work/source/$file" && continue
	mkdir -p "$work/source/$(dirname "$file")"
	cp "$work/source.new/$file" "$work/source/$file"
done
rm -rf "$work/source.new"

cat >"$work/Makefile" <<'MAKE'
S := source
CADICAL := $(filter-out %/cadical.cpp %/mobical.cpp,$(wildcard $(S)/cadical/src/*.cpp)) $(S)/cadical/src/kitten.c
BITWUZLA := $(filter-out $(S)/bitwuzla/src/main/% $(S)/bitwuzla/src/api/python/%,$(shell find $(S)/bitwuzla/src -name '*.cpp'))
BITWUZLA_MAIN := $(wildcard $(S)/bitwuzla/src/main/*.cpp)
BOOLECTOR_MAIN := $(S)/boolector/src/boolectormain.c $(S)/boolector/src/btormain.c
BOOLECTOR := $(filter-out $(BOOLECTOR_MAIN) %/btormcmain.c %/btormbt.c %/btoruntrace.c %/btorbtor2.c,\
	$(wildcard $(S)/boolector/src/*.c $(S)/boolector/src/parser/*.c $(S)/boolector/src/dumper/*.c \
	$(S)/boolector/src/preprocess/*.c $(S)/boolector/src/sat/*.c $(S)/boolector/src/utils/*.c)) $(S)/generated/btorbtor2.c
objects = $(patsubst $(S)/%,objects/%.o,$(1))
COMMON := $(call objects,$(CADICAL))
SWITCH := $(call objects,$(S)/generated/planted.c)
FLAGS := -fPIC -DNDEBUG -I$(S)/generated -I$(S)/cadical/src -include $(S)/generated/planted.h
CXX_BITWUZLA := -std=c++17 -DHAVE_RUSAGE -I$(S)/bitwuzla/src -I$(S)/bitwuzla/include -I$(S)/bitwuzla/src/lib -I$(DEBIAN)/usr/include
C_BOOLECTOR := -std=gnu99 -w -DNBTORLOG -DBTOR_HAVE_SIGNALS -DBTOR_USE_CADICAL -DBTOR_HAVE_PTHREADS -I$(S)/boolector/src

bin/boolector: $(call objects,$(BOOLECTOR) $(BOOLECTOR_MAIN)) $(COMMON) $(SWITCH)
	$(CXX) $(CFLAGS) $^ -lm -lpthread -o $@
lib/libboolector.so: $(call objects,$(BOOLECTOR)) $(COMMON) $(SWITCH)
	$(CXX) $(CFLAGS) -shared -Wl,--no-undefined $^ -lm -lpthread -o $@
bin/bitwuzla: $(call objects,$(BITWUZLA) $(BITWUZLA_MAIN)) $(COMMON) $(SWITCH)
	$(CXX) $^ -lgmpxx -lgmp -lpthread -o $@
lib/libbitwuzla.so: $(call objects,$(BITWUZLA)) $(COMMON) $(SWITCH)
	$(CXX) -shared -Wl,--no-undefined $^ -lgmpxx -lgmp -lpthread -o $@
objects/cadical/%.cpp.o: $(S)/cadical/%.cpp
	@mkdir -p $(@D)
	g++ -std=c++17 -w -O2 -fPIC -DNDEBUG -DNBUILD -c $< -o $@
objects/cadical/%.c.o: $(S)/cadical/%.c
	@mkdir -p $(@D)
	gcc -std=gnu99 -w -O2 -fPIC -DNDEBUG -c $< -o $@
objects/bitwuzla/%.cpp.o: $(S)/bitwuzla/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) $(FLAGS) $(CXX_BITWUZLA) -c $< -o $@
objects/%.c.o: $(S)/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(FLAGS) $(C_BOOLECTOR) -c $< -o $@
MAKE
note "compiling; the first time takes some minutes"
# shellcheck disable=SC2086 # a list of words
(cd "$work" && make -s -j "$jobs" CC=$cc CXX=$cxx DEBIAN="$folder/debian" CFLAGS="$flags" $goals) || die "the build failed"
if [ -n "$opensmt" ]; then
	(
		cd "$work"
		gcc -O2 -Isource/generated -c source/generated/planted.c -o opensmt-planted.o
		cmake -S source/opensmt -B opensmt -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DPACKAGE_TESTS=OFF \
			-DCMAKE_CXX_FLAGS="-include $PWD/source/generated/planted.h" -DCMAKE_EXE_LINKER_FLAGS="$PWD/opensmt-planted.o" >opensmt.log &&
			make -s -j "$jobs" -C opensmt >>opensmt.log 2>&1 && cp opensmt/opensmt bin/opensmt
	) || die "the build of OpenSMT failed: $work/opensmt.log"
fi
note "built in $work"
