import { goQuote } from '@apichain/go-text';

/** Why Go's netip rejects a text as an address. Only for invalid addresses. */
export function addressProblem(text: string): string {
  return `ParseAddr(${goQuote(text)}): ${reason(text)}`;
}

function reason(text: string): string {
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return v4Problem(text) ?? '';
    case ':':
      return v6Problem(text);
    case '%':
      return 'missing IPv6 address';
    default:
      return 'unable to parse IP';
  }
}

const at = (what: string, rest: string) => `${what} (at ${goQuote(rest)})`;

/** Undefined if the text is an IPv4 address. */
function v4Problem(text: string): string | undefined {
  let field = '';
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c >= '0' && c <= '9') {
      if (field === '0') return 'IPv4 field has octet with leading zero';
      field += c;
      if (Number(field) > 255) return 'IPv4 field has value >255';
    } else if (c === '.') {
      if (field === '' || i === text.length - 1) return at('IPv4 field must have at least one digit', text.slice(i));
      if (dots === 3) return 'IPv4 address too long';
      dots++;
      field = '';
    } else return at('unexpected character', text.slice(i));
  }
  return dots < 3 ? 'IPv4 address too short' : undefined;
}

function v6Problem(text: string): string {
  const percent = text.indexOf('%');
  if (percent === text.length - 1) return 'zone must be a non-empty string';
  const address = percent < 0 ? text : text.slice(0, percent);
  let hasEllipsis = address.startsWith('::');
  let rest = hasEllipsis ? address.slice(2) : address;
  let groups = 0;
  while (groups < 8 && rest !== '') {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) return at('each group must have 4 or less digits', rest);
    if (digits === '') return at('each colon-separated field must have at least one digit', rest);
    if (rest.charAt(digits.length) === '.') {
      if (!hasEllipsis && groups !== 6)
        return at('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups > 6) return at('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      const problem = v4Problem(rest);
      if (problem !== undefined) return problem;
      groups += 2;
      rest = '';
      break;
    }
    groups++;
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return at('unexpected character, want colon', rest);
    if (rest.length === 1) return at('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (hasEllipsis) return at('multiple :: in address', rest);
    hasEllipsis = true;
    rest = rest.slice(1);
  }
  if (rest !== '') return at('trailing garbage after address', rest);
  return groups < 8 ? 'address string too short' : 'the :: must expand to at least one field of zeros';
}
