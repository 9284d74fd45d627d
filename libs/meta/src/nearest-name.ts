/**
 * The name that a misspelled word most likely means, of the names that exist: the one with the fewest edits (a character inserted, removed or
 * replaced, or two neighbours swapped). At most one edit for three characters of the word counts as a misspelling; of equally near names
 * the first is taken. Undefined when no name is near.
 */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const letters = word.toLowerCase();
  let nearest: string | undefined;
  let fewest = Math.floor(letters.length / 3) + 1;
  for (const name of names) {
    if (Math.abs(name.length - letters.length) >= fewest) continue;
    const edits = editsBetween(letters, name.toLowerCase());
    if (edits >= fewest) continue;
    nearest = name;
    fewest = edits;
  }
  return nearest;
}

/** The end of a message, such as `; did you mean --force?`. Empty when no name is near, and for words longer than any name. */
export function didYouMean(word: string, names: Iterable<string>, prefix = ''): string {
  const nearest = word.length > longestWord ? undefined : nearestName(word, names);
  return nearest === undefined ? '' : `; did you mean ${prefix}${nearest}?`;
}

const longestWord = 100;

/** The optimal string alignment distance. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
