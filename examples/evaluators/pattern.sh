#!/bin/sh
# Scores a text, an extended regular expression, by the share of a task's words that it gets right: those it should
# match and does, and those it should not match and does not. Needs no more than POSIX sh, awk and grep.
#
# A task is {"id": ..., "match": "words with spaces between", "avoid": "more words"}.
set -f # a word is never a pattern of file names

# field NAME prints the text that a field of the request holds. Inside a JSON string every quote is escaped, so the name
# with its quotes is found where it is a name.
field() {
	printf '%s\n' "$request" | awk -v name="\"$1\":\"" '
		(start = index($0, name)) {
			for (i = start + length(name); (c = substr($0, i, 1)) != "\""; i++) {
				if (c == "\\") {
					c = substr($0, ++i, 1)
					if (c == "n") c = "\n"
					else if (c == "t") c = "\t"
					else if (c !~ /["\\\/]/) exit 1
				}
				text = text c
			}
			print text
			found = 1
		}
		END { exit !found }'
}

# matches WORD: whether the pattern does.
matches() { printf '%s\n' "$1" | grep -Eq -e "$pattern" 2>/dev/null; }

# count counts the words that the pattern gets right.
count() {
	right=0 all=0
	for word in $(field match); do
		all=$((all + 1))
		if matches "$word"; then right=$((right + 1)); fi
	done
	for word in $(field avoid); do
		all=$((all + 1))
		if ! matches "$word"; then right=$((right + 1)); fi
	done
}

while IFS= read -r request; do
	id=${request#*\"id\":} # the request's own: it comes first
	id=${id%%[!0-9]*}
	if ! pattern=$(field rule); then
		echo "{\"id\":$id,\"error\":\"the candidate has no text, or one with unusual characters\"}"
		continue
	fi
	matches ""
	if [ $? -gt 1 ]; then # grep: 0 found, 1 not found, 2 cannot
		echo "{\"id\":$id,\"error\":\"not a regular expression\"}"
		continue
	fi
	count
	awk -v id="$id" -v right=$right -v all=$all 'BEGIN {
		printf "{\"id\":%s,\"score\":%.6f,\"detail\":\"%d of %d words\"}\n", id, right / all, right, all
	}'
done
