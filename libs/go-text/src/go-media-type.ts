const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+/;
const quoted = /^"(?:[^"\\\r\n]|\\[^\r\n])*"/;

function typeProblem(mediaType: string): string | undefined {
  const [type = ''] = token.exec(mediaType) ?? [];
  if (type === '') return 'no media type';
  const rest = mediaType.slice(type.length);
  if (rest === '') return undefined;
  if (!rest.startsWith('/')) return 'expected slash after first token';
  const [subtype = ''] = token.exec(rest.slice(1)) ?? [];
  if (subtype === '') return 'expected token after slash';
  return rest.length === subtype.length + 1 ? undefined : 'unexpected content after media subtype';
}

/** The length and the name of a parameter `; name=value`; undefined = the text does not begin with a parameter. */
function parameter(text: string): { readonly length: number; readonly name: string } | undefined {
  const start = /^\s*;\s*/.exec(text)?.[0];
  if (start === undefined) return undefined;
  const name = token.exec(text.slice(start.length))?.[0] ?? '';
  const equals = /^\s*=\s*/.exec(text.slice(start.length + name.length))?.[0];
  if (name === '' || equals === undefined) return undefined;
  const before = start.length + name.length + equals.length;
  const value = (token.exec(text.slice(before)) ?? quoted.exec(text.slice(before)))?.[0];
  return value === undefined ? undefined : { length: before + value.length, name: name.toLowerCase() };
}

/** The error of Go's mime.ParseMediaType for a Content-Type; undefined = the Content-Type is valid. */
export function mediaTypeProblem(contentType: string): string | undefined {
  const [head = ''] = contentType.split(';');
  const problem = typeProblem(head.trim().toLowerCase());
  if (problem !== undefined) return `mime: ${problem}`;
  const names = new Set<string>();
  let rest = contentType.slice(head.length);
  while (rest.trim() !== '' && rest.trim() !== ';') {
    const found = parameter(rest);
    if (found === undefined) return 'mime: invalid media parameter';
    if (names.has(found.name)) return 'mime: duplicate parameter name';
    names.add(found.name);
    rest = rest.slice(found.length);
  }
  return undefined;
}
