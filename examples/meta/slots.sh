#!/bin/sh
# Evolves the value of every slot on the inner problem in which it matters, judges it on a larger one, and compares a
# policy written by hand with the engine's default on the same searches. It prints two lines a slot: what evolved, and
# what was written by hand. Arguments narrow the slots; ADRUN names the program, OUT the directory to write.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
adrun=${ADRUN:-adrun}
out=${OUT:-runs/slots}
slots=${*:-selection task_sampler proposal staleness conflict fusion acceptance promotion}
mkdir -p "$out"
for slot in $slots; do
  "$adrun" meta run "$here/$slot.yaml" --out "$out/$slot" >"$out/$slot.txt" 2>"$out/$slot.log"
  printf '%s: %s\n' "$slot" "$(grep -E '^(adopt|reject): ' "$out/$slot.txt")"
  printf '  evolved  %s\n' "$(grep '^validation: ' "$out/$slot.txt" | sed 's/^validation: //')"
  printf '  by hand  %s\n' "$("$adrun" meta validate "$here/$slot.yaml" --value "$here/by_hand/$slot.rule" | tail -n 1)"
done
