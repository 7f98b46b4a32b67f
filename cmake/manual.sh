#!/bin/sh
# The man pages of a program, made of its --help: one of the overview and one of each command. Commands in Python have none
# where there is no Python. SOURCE_DATE_EPOCH makes builds reproducible.
# usage: manual.sh PROGRAM FOLDER
set -eu
program=$1 folder=$2
export LC_ALL=C
mkdir -p "$folder"
rm -f "$folder"/warpsweep*.1
release=$("$program" --version | cut -d ' ' -f 2)
date=$(if [ "${SOURCE_DATE_EPOCH:-}" ]; then date -u -d "@$SOURCE_DATE_EPOCH" +%F; else date -u +%F; fi)
names=$("$program" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')

page() { # page NAME HELP: the help as roff
    awk -v name="$1" -v date="$date" -v release="$release" -v names="$names" '
        # Dashes that can be copied, and no line that begins with a request.
        function roff(text) {
            gsub(/\\/, "\\e", text)
            gsub(/-/, "\\-", text)
            return text ~ /^[.\047]/ ? "\\&" text : text
        }
        function heading(text) {
            print ".SH " text
            blank = 0
        }
        BEGIN { printf ".TH %s 1 %s \"warpsweep %s\" \"warpsweep manual\"\n", toupper(name), date, release }
        NR == 1 {
            sub(/^[^-]* - /, "")
            heading("NAME")
            print roff(name) " \\- " roff($0)
        }
        NR == 1 { next }
        /^Usage: / {
            heading("SYNOPSIS")
            print ".B " roff(substr($0, 8))
            part = "description"
            next
        }
        /^(Commands[a-zA-Z ,]*|Options|Examples):$/ {
            if (part == "examples") print ".fi"
            part = $0 ~ /^Examples/ ? "examples" : "items"
            sub(/:$/, "")
            heading(toupper($0))
            if (part == "examples") print ".nf"
            next
        }
        /^$/ { blank = part == "examples" ? 0 : 1; next }
        part == "items" && !/^  warpsweep / && match($0, /^  ((-[a-zA-Z], |    )--[a-z0-9-]+( [A-Z][^ ]*)?|[a-z]+) +/) {
            item = substr($0, 1, RLENGTH)
            rest = substr($0, RLENGTH + 1)
            gsub(/^ +| +$/, "", item)
            print ".TP\n.B " roff(item) "\n" roff(rest)
            blank = 0
            next
        }
        part == "description" {
            part = "text"
            heading("DESCRIPTION")
        }
        {
            if (blank) print ".PP"
            blank = 0
            if (part == "items") sub(/^ +/, "")
            print roff($0)
        }
        END {
            if (part == "examples") print ".fi"
            heading("EXIT STATUS")
            print ".TP\n.B 0\nsuccess"
            print ".TP\n.B 1\nthe command finished, but some points failed, are missing, or miss a limit that was set"
            print ".TP\n.B 2\ninvalid command line, job file or input file"
            print ".TP\n.B 3\nthe environment cannot run it: device, compiler, tool, disk or permissions"
            heading("SEE ALSO")
            count = split("warpsweep " names, all)
            for (i = 1; i <= count; i++) {
                one = i == 1 ? "warpsweep" : "warpsweep-" all[i]
                if (one != name) {
                    printf "%s.BR %s (1)", separator, roff(one)
                    separator = ",\n"
                }
            }
            print "\n.PP\nJob files, results files and their columns are described in docs/job\\-file.md and"
            print "docs/results\\-file.md, installed in share/doc/warpsweep."
        }' "$2" >"$folder/$1.1"
}

help=$folder/help
"$program" --help >"$help"
page warpsweep "$help"
for name in $names; do
    "$program" "$name" --help >"$help" 2>"$help.errors" && page "warpsweep-$name" "$help" ||
        echo "no man page of $name: $(cat "$help.errors")" >&2
done
rm -f "$help" "$help.errors"
