#!/bin/sh
# Proposes a line for a text of patterns: it takes a word that the task wants matched and writes the pattern of all
# words that look like it, digits and letters being one as good as another. The seed chooses the word. Words
# have no quotes and no backslashes. Needs no more than POSIX sh and awk.
set -f

while IFS= read -r request; do
	id=${request#*\"id\":} # the request's own: it comes first
	id=${id%%[!0-9]*}
	seed=${request##*\"seed\":} # and the seed last
	seed=${seed%%[!0-9]*}
	printf '%s\n' "$request" | awk -v id="$id" -v seed="$seed" '
		function pattern(word, i, c, class, last, out) {
			for (i = 1; i <= length(word); i++) {
				c = substr(word, i, 1)
				class = c ~ /[0-9]/ ? "[0-9]+" : c ~ /[a-z]/ ? "[a-z]+" : c ~ /[A-Z]/ ? "[A-Z]+" : c ~ /[-_,:=\/]/ ? c : "[" c "]"
				if (class != last || length(class) < 6) out = out class
				last = class
			}
			return "^" out "$"
		}
		(start = index($0, "\"match\":\"")) {
			text = substr($0, start + 9)
			text = substr(text, 1, index(text, "\"") - 1)
			n = split(text, words, " ")
			# Without a fraction that awk would round, whatever awk: nine digits of the seed do.
			printf "{\"id\":%s,\"proposal\":\"%s\",\"note\":\"like a word\"}\n", id, pattern(words[substr(seed, 1, 9) % n + 1])
			found = 1
		}
		END { if (!found) printf "{\"id\":%s}\n", id }'
done
