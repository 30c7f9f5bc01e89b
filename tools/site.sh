#!/bin/sh
# Builds the site of docs/ into site/, with the generator of tools/site.txt in a virtual environment below .site.
set -eu
[ -x .site/bin/zensical ] || {
	python3 -m venv .site
	.site/bin/pip install --quiet --requirement tools/site.txt
}
# The first page is the README, whose links lead into docs/.
trap 'rm -f docs/index.md' EXIT
sed 's#(docs/#(#g' README.md > docs/index.md
.site/bin/zensical build --clean --strict
