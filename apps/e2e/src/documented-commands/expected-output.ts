/**
 * The lines of a page's output that commands did not print. Compared are words: numbers, times, uids and the width of columns may differ, `...`
 * stands for anything. The order of lines is not compared, because commands in the background print too, and there may be further lines.
 * `inside` says that a line may be part of a printed one.
 */
export function missingLines(expected: string, actual: string, { inside = false } = {}): readonly string[] {
  const printed = actual.split('\n').map(normal);
  return expected.split('\n').filter((line) => {
    const pattern = patternOf(line, inside);
    if (pattern === undefined) return false;
    const found = printed.findIndex((text) => pattern.test(text));
    // A line is printed as often as the page says.
    if (found >= 0) printed.splice(found, 1);
    return found < 0;
  });
}

/** Undefined for a line that says nothing: an empty one or `...`. */
function patternOf(line: string, inside: boolean): RegExp | undefined {
  const text = normal(line);
  if (text === '' || text === '...') return undefined;
  const parts = text.split('...').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(inside ? parts.join('.*') : `^${parts.join('.*')}$`);
}

const normal = (line: string) =>
  line
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    // An age has one or two units: 45s, 2m10s.
    .replace(/\b(?:\d+(?:\.\d+)?(?:ms|[smhd])){1,2}\b/g, 'TIME')
    .replace(/\d+(?:[.,]\d+)*/g, '0')
    .replace(/\s+/g, ' ')
    .trim();
