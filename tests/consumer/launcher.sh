#!/bin/sh
# launcher.sh FOLDER COMMAND...: a compiler's launcher. Copies the object that FOLDER has (same_objects.py), or else compiles.
folder=$1
shift
previous=
for word in "$@"; do
  if [ "$previous" = -o ] && [ -e "$folder/$word" ]; then exec cp "$folder/$word" "$word"; fi
  previous=$word
done
exec "$@"
