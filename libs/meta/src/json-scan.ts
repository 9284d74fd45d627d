/*
 * What the platform's parser reads otherwise than Go: integers too long for a number, fractions and exponents (Go tells
 * 1.0 from 1), escaped surrogates (Go lets none stand alone). Strings are not told apart; text within them may match,
 * which costs time and nothing else. Several expressions, because one that joins them runs at half the speed; a blank
 * before a colon, which nobody writes, counts as a match so that the second can stay simple.
 */
const longInteger = /\d{16}/;
const memberFraction = /":\s*-?\d+[.eE]/;
const elementFraction = /[[,]\s*-?\d+[.eE]|\s:/;
const surrogateEscape = /\\u[dD]/;

function hasMoreContainers(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let containers = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code === 123 || code === 91) && ++containers > limit) return true;
  }
  return false;
}

/**
 * Whether the platform's parser reads this JSON exactly as Go does; false may be a false alarm. More than
 * `maxContainers` objects and lists, which may be nested too deeply for Go, count as a difference.
 */
export function agreesWithGo(text: string, maxContainers: number): boolean {
  return !(
    longInteger.test(text) ||
    memberFraction.test(text) ||
    elementFraction.test(text) ||
    (text.includes('\\u') && surrogateEscape.test(text)) ||
    hasMoreContainers(text, maxContainers)
  );
}
