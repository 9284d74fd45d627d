/*
 * Texts that the platform's parser reads differently from Go: integers too long for a number, fractions and exponents (Go distinguishes 1.0
 * from 1), and escaped surrogates (Go replaces lone ones). The expressions also match within strings, which costs time but changes no
 * result. They are separate because one combined expression runs at half the speed. White space before a colon is rare, so it counts as a
 * match, which keeps the second expression simple.
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
 * Whether the platform's parser reads this JSON exactly as Go does. False may be a false alarm. More than `maxContainers` objects and
 * lists, which may be nested too deeply for Go, count as a difference.
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
