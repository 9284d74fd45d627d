import { invalid, required, type FieldError } from './field-error.ts';

/**
 * Syntax rules of names, labels and the like. Each function returns the messages of a field error, none if the value is valid. Lengths are
 * in bytes. Source: k8s.io/apimachinery/pkg/util/validation and pkg/api/validate/content.
 */

/** The byte length of a string in UTF-8. */
export const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8');

const exceeds = (text: string, limit: number) =>
  text.length > limit || (text.length * 3 > limit && byteLength(text) > limit);
const anchored = (expression: string) => new RegExp(`^(?:${expression})$`, 'u');

/** `must be no more than N characters`: the wording of the older checks. */
const maxLenError = (length: number): string => `must be no more than ${length} characters`;
/** `must be no more than N bytes`: the wording of the newer checks. */
const maxBytesError = (length: number): string => `must be no more than ${length} bytes`;
/** `must be between LO and HI, inclusive` */
export const inclusiveRangeError = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;

/** A message that quotes the regular expression of the check, with examples of valid values. */
function regexError(message: string, expression: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${expression}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${expression}')`;
}

const dns1123LabelFormat = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dns1123SubdomainFormat = `${dns1123LabelFormat}(\\.${dns1123LabelFormat})*`;
const dns1123UnderscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const dns1123SubdomainUnderscoreFormat = `${dns1123UnderscoreLabel}(\\.${dns1123UnderscoreLabel})*`;
const wildcardSubdomainFormat = `\\*\\.${dns1123SubdomainFormat}`;
const dns1035LabelFormat = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedNameFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValueFormat = `(${qualifiedNameFormat})?`;
const cIdentifierFormat = '[A-Za-z_][A-Za-z0-9_]*';
const configMapKeyFormat = '[-._a-zA-Z0-9]+';
const percentFormat = '[0-9]+%';
const httpHeaderNameFormat = '[-A-Za-z0-9]+';
const httpPathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const conditionReasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';

const dns1123Label = anchored(dns1123LabelFormat);
const dns1123Subdomain = anchored(dns1123SubdomainFormat);
const dns1123SubdomainUnderscore = anchored(dns1123SubdomainUnderscoreFormat);
const wildcardSubdomain = anchored(wildcardSubdomainFormat);
const dns1035Label = anchored(dns1035LabelFormat);
const qualifiedName = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const cIdentifier = anchored(cIdentifierFormat);
const configMapKey = /^[-._a-zA-Z0-9]+$/;
const percent = anchored(percentFormat);
const httpHeaderName = /^[-A-Za-z0-9]+$/;
const httpPath = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;
const conditionReason = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

const dns1123LabelMessage =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const dns1123SubdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const qualifiedNameMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const nameLimit = 253;
const labelLimit = 63;

function check(value: string, limit: number, matcher: RegExp, mismatch: () => string): string[] {
  const errors: string[] = [];
  if (exceeds(value, limit)) errors.push(maxLenError(limit));
  if (!matcher.test(value)) errors.push(mismatch());
  return errors;
}

const labelMismatch = (value: string): string =>
  dns1123Subdomain.test(value)
    ? 'must not contain dots'
    : regexError(dns1123LabelMessage, dns1123LabelFormat, 'my-name', '123-abc');

/** A label of a DNS name: at most 63 bytes of `[a-z0-9-]`. */
export const isDNS1123Label = (value: string): string[] =>
  check(value, labelLimit, dns1123Label, () => labelMismatch(value));

/** Like isDNS1123Label, with the newer wording (`bytes`) that declarative validation uses. */
export const isDNS1123LabelBytes = (value: string): string[] => [
  ...(exceeds(value, labelLimit) ? [maxBytesError(labelLimit)] : []),
  ...(dns1123Label.test(value) ? [] : [labelMismatch(value)]),
];

const subdomainMismatch = () => regexError(dns1123SubdomainMessage, dns1123SubdomainFormat, 'example.com');

/** A DNS name: labels joined by dots, at most 253 bytes. */
export const isDNS1123Subdomain = (value: string): string[] =>
  check(value, nameLimit, dns1123Subdomain, subdomainMismatch);

/** Like isDNS1123Subdomain, with the newer wording (`bytes`) that label keys and a few kinds use. */
export function isDNS1123SubdomainBytes(value: string): string[] {
  const errors: string[] = [];
  if (exceeds(value, nameLimit)) errors.push(maxBytesError(nameLimit));
  if (!dns1123Subdomain.test(value)) errors.push(subdomainMismatch());
  return errors;
}

/** A DNS name that may contain underscores, as in services of ResourceClaims and owners of SRV records. */
export const isDNS1123SubdomainWithUnderscore = (value: string): string[] =>
  check(value, nameLimit, dns1123SubdomainUnderscore, () =>
    regexError(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
      dns1123SubdomainUnderscoreFormat,
      'example.com',
    ),
  );

/** `*.` and a DNS name. */
export const isWildcardDNS1123Subdomain = (value: string): string[] =>
  check(value, nameLimit, wildcardSubdomain, () =>
    regexError(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
      wildcardSubdomainFormat,
      '*.example.com',
    ),
  );

/** Like isDNS1123Label, but the first character must be a letter. */
export const isDNS1035Label = (value: string): string[] =>
  check(value, labelLimit, dns1035Label, () =>
    regexError(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      dns1035LabelFormat,
      'my-name',
      'abc-123',
    ),
  );

/** A label key: `name` or `dns.prefix/name`. */
export function isQualifiedName(value: string): string[] {
  const slash = value.indexOf('/');
  const errors: string[] = [];
  if (slash >= 0) {
    if (value.includes('/', slash + 1)) {
      const message = regexError(
        `a valid label key ${qualifiedNameMessage}`,
        qualifiedNameFormat,
        'MyName',
        'my.name',
        '123-abc',
      );
      return [`${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
    }
    const prefix = value.slice(0, slash);
    if (prefix === '') errors.push('prefix part must be non-empty');
    else errors.push(...isDNS1123SubdomainBytes(prefix).map((message) => `prefix part ${message}`));
  }
  const name = value.slice(slash + 1);
  if (name === '') errors.push('name part must be non-empty');
  else if (exceeds(name, labelLimit)) errors.push(`name part ${maxBytesError(labelLimit)}`);
  if (!qualifiedName.test(name)) {
    errors.push(`name part ${regexError(qualifiedNameMessage, qualifiedNameFormat, 'MyName', 'my.name', '123-abc')}`);
  }
  return errors;
}

/** The value of a label: empty, or at most 63 bytes of `[A-Za-z0-9_.-]` with an alphanumeric at both ends. */
export function isValidLabelValue(value: string): string[] {
  const errors: string[] = [];
  if (exceeds(value, labelLimit)) errors.push(maxBytesError(labelLimit));
  if (!labelValue.test(value)) {
    errors.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValueFormat,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return errors;
}

/** An identifier of the C language. */
export const isCIdentifier = (value: string): string[] =>
  cIdentifier.test(value)
    ? []
    : [
        regexError(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          cIdentifierFormat,
          'my_name',
          'MY_NAME',
          'MyName',
        ),
      ];

function dotMisuse(value: string): string[] {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** The default rule of environment variable names: printable ASCII without `=`. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** A key of a ConfigMap's or Secret's data. */
export function isConfigMapKey(value: string): string[] {
  const errors = check(value, nameLimit, configMapKey, () =>
    regexError(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      configMapKeyFormat,
      'key.name',
      'KEY_NAME',
      'key-name',
    ),
  );
  return [...errors, ...dotMisuse(value)];
}

/** Whether a number lies between two bounds, both included. */
export const isInRange = (value: number | bigint, low: number, high: number): string[] =>
  value >= low && value <= high ? [] : [inclusiveRangeError(low, high)];
/** The error messages for a port number (1 to 65535). */
export const isValidPortNum = (port: number | bigint): string[] => isInRange(port, 1, 65535);
/** The error messages for a user ID (0 to 2147483647). */
export const isValidUserID = (uid: number | bigint): string[] => isInRange(uid, 0, 2147483647);
/** The error messages for a group ID (0 to 2147483647). */
export const isValidGroupID = (gid: number | bigint): string[] => isInRange(gid, 0, 2147483647);

/** An IANA service name (RFC 6335). */
export function isValidPortName(value: string): string[] {
  const errors: string[] = [];
  if (exceeds(value, 15)) errors.push(maxLenError(15));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** `93%` */
export const isValidPercent = (value: string): string[] =>
  percent.test(value)
    ? []
    : [
        regexError(
          "a valid percent string must be a numeric string followed by an ending '%'",
          percentFormat,
          '1%',
          '93%',
        ),
      ];

/** The name of an HTTP header. */
export const isHTTPHeaderName = (value: string): string[] =>
  httpHeaderName.test(value)
    ? []
    : [
        regexError(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          httpHeaderNameFormat,
          'X-Header-Name',
        ),
      ];

/** The path of a domain-prefixed path, such as the `foo` of `acme.io/foo`. */
export const isHTTPPath = (value: string): string[] =>
  httpPath.test(value) ? [] : [regexError('Invalid path', httpPathFormat)];

/** The `reason` of a condition: CamelCase by convention. Its length is checked separately. */
export const isConditionReason = (value: string): string[] =>
  conditionReason.test(value)
    ? []
    : [
        regexError(
          "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
          conditionReasonFormat,
          'my_name',
          'MY_NAME',
          'MyName',
          'ReasonA,ReasonB',
          'ReasonA:ReasonB',
        ),
      ];

/** A rule for metadata.name. With `prefix` the value is a generateName, to which characters are appended. */
export type NameValidator = (name: string, prefix: boolean) => string[];

const maskTrailingDash = (name: string, prefix: boolean) =>
  prefix && name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

/** Names of most kinds: labels with dots between them; at most 253 characters. */
export const nameIsDNSSubdomain: NameValidator = (name, prefix) => isDNS1123Subdomain(maskTrailingDash(name, prefix));
/** Names of letters, digits and dashes; at most 63 characters. */
export const nameIsDNSLabel: NameValidator = (name, prefix) => isDNS1123Label(maskTrailingDash(name, prefix));
/** Names of Services and similar kinds: letters, digits and dashes, starting with a letter; at most 63 characters. */
export const nameIsDNS1035Label: NameValidator = (name, prefix) => isDNS1035Label(maskTrailingDash(name, prefix));

/** A name that can be a segment of a URL path. The names of all objects must satisfy at least this rule. */
export function isValidPathSegmentName(name: string): string[] {
  if (name === '.') return ["may not be '.'"];
  if (name === '..') return ["may not be '..'"];
  return isValidPathSegmentPrefix(name);
}

/** Like isValidPathSegmentName, for a prefix. `.` and `..` are allowed because characters are appended. */
function isValidPathSegmentPrefix(name: string): string[] {
  const errors: string[] = [];
  for (const character of ['/', '%']) {
    if (name.includes(character)) errors.push(`may not contain '${character}'`);
  }
  return errors;
}

/** Names that only need to be valid segments of a URL path: not `.` or `..`, without `/` and `%`. */
export const validatePathSegmentName: NameValidator = (name, prefix) =>
  prefix ? isValidPathSegmentPrefix(name) : isValidPathSegmentName(name);

/** The errors in the value of a field that must be a domain-prefixed path, such as `acme.io/foo`. */
export function domainPrefixedPathErrors(path: string, value: string): FieldError[] {
  if (value === '') return [required(path)];
  const slash = value.indexOf('/');
  const host = value.slice(0, slash);
  const rest = value.slice(slash + 1);
  if (slash <= 0 || rest === '')
    return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [
    ...isDNS1123Subdomain(host).map((problem) => invalid(path, host, problem)),
    ...isHTTPPath(rest).map((problem) => invalid(path, rest, problem)),
  ];
}
