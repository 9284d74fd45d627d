import { goQuote } from '@apichain/go-text';
import {
  isQualifiedName,
  isValidLabelValue,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  newQuantity,
  parseQuantity,
  QuantityError,
  type Quantity,
} from '@apichain/meta';
import { compareSemver } from '../equality.ts';
import {
  asBool,
  asFormat,
  asInt,
  asQuantity,
  asSemver,
  asText,
  global,
  member,
  type Library,
  type Overload,
} from '../overload.ts';
import * as types from '../types.ts';
import { ArrayList, EvaluationError, none, Optional, type Value } from '../values.ts';
import { Format, Semver } from './extension-values.ts';
import { requestUriProblem } from './urls.ts';

const { bool, int, double, string } = types;
export const quantityType = types.opaque('kubernetes.Quantity');
const semverType = types.opaque('kubernetes.Semver');
export const formatType = types.opaque('kubernetes.NamedFormat');

function quantity(v: Value | undefined): Quantity {
  try {
    return parseQuantity(asText(v));
  } catch (error) {
    if (error instanceof QuantityError) throw new EvaluationError(error.message);
    throw error;
  }
}
function wholeNumber(q: Quantity): bigint {
  const value = q.asInt64();
  if (value === undefined) throw new EvaluationError('cannot convert value to integer');
  return value;
}
const succeeds = (parse: () => unknown): boolean => {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
};

const semverSyntax = /^(\d+)\.(\d+)\.(\d+)(?:-([^+]*))?(?:\+(.*))?$/;

function uint64Problem(digits: string): string | undefined {
  if (digits === '') return 'invalid syntax';
  return BigInt(digits) > 0xffff_ffff_ffff_ffffn ? 'value out of range' : undefined;
}

/** Parses a version like the blang/semver package, with its error messages. */
function semver(text: string): Semver {
  const fail = (why: string) => new EvaluationError(why);
  if (text === '') throw fail('Version string empty');
  const parts = text.split('.');
  if (parts.length < 3) throw fail('No Major.Minor.Patch elements found');
  const match = semverSyntax.exec(text);
  const named = {
    Major: parts[0] ?? '',
    Minor: parts[1] ?? '',
    Patch: /^[^-+]*/.exec(parts.slice(2).join('.'))?.[0] ?? '',
  };
  for (const [name, digits] of Object.entries(named)) {
    if (/\D/.test(digits)) throw fail(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote(digits)}`);
    if (/^0\d/.test(digits)) throw fail(`${name} number must not contain leading zeroes "${digits}"`);
    const problem = uint64Problem(digits);
    if (problem !== undefined) throw fail(`strconv.ParseUint: parsing "${digits}": ${problem}`);
  }
  const pre = match?.[4]?.split('.') ?? [];
  for (const id of pre) {
    if (id === '') throw fail('Prerelease is empty');
    if (/^0\d+$/.test(id)) throw fail(`Numeric PreRelease version must not contain leading zeroes "${id}"`);
    if (!/^[0-9A-Za-z-]+$/.test(id)) throw fail(`Invalid character(s) found in prerelease ${goQuote(id)}`);
  }
  for (const id of match?.[5]?.split('.') ?? []) {
    if (id === '') throw fail('Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(id)) throw fail(`Invalid character(s) found in build meta data ${goQuote(id)}`);
  }
  return new Semver(
    [BigInt(named.Major), BigInt(named.Minor), BigInt(named.Patch)],
    pre.map((id) => (/^\d+$/.test(id) ? BigInt(id) : id)),
  );
}

/** Also accepts `v1.2` and `01.2.3`. */
function normalizedSemver(text: string): Semver {
  const parts = text.replace(/^v/, '').split('.');
  const three = [...parts.slice(0, 2), ...(parts.length > 2 ? [parts.slice(2).join('.')] : [])];
  const trimmed = three.map((p) => (p.length > 1 ? p.replace(/^0+/, '').replace(/^(?=[^0-9]|$)/, '0') : p));
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1) ?? ''))
    throw new EvaluationError('short version cannot contain PreRelease/Build meta data');
  while (trimmed.length < 3) trimmed.push('0');
  return semver(trimmed.join('.'));
}
const semverOf = (v: Value | undefined, normalize?: Value): Semver =>
  normalize !== undefined && asBool(normalize) ? normalizedSemver(asText(v)) : semver(asText(v));

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
function isDate(text: string): boolean {
  const parts = datePattern.exec(text);
  if (parts === null) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}
function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  return parts !== null && Number(parts[1]) <= 23 && Number(parts[2]) <= 59 && Number(parts[3]) <= 59;
}
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const unless = (holds: (text: string) => boolean, problem: string) => (text: string) => (holds(text) ? [] : [problem]);

const formats: Readonly<Record<string, Format>> = {
  dns1123Label: new Format('DNS1123Label', 30, (s) => nameIsDNSLabel(s, false)),
  dns1123Subdomain: new Format('DNS1123Subdomain', 60, (s) => nameIsDNSSubdomain(s, false)),
  dns1035Label: new Format('DNS1035Label', 30, (s) => nameIsDNS1035Label(s, false)),
  qualifiedName: new Format('QualifiedName', 60, isQualifiedName),
  dns1123LabelPrefix: new Format('DNS1123LabelPrefix', 30, (s) => nameIsDNSLabel(s, true)),
  dns1123SubdomainPrefix: new Format('DNS1123SubdomainPrefix', 60, (s) => nameIsDNSSubdomain(s, true)),
  dns1035LabelPrefix: new Format('DNS1035LabelPrefix', 30, (s) => nameIsDNS1035Label(s, true)),
  labelValue: new Format('LabelValue', 40, isValidLabelValue),
  uri: new Format('URI', 1103, (s) => {
    const problem = requestUriProblem(s);
    return problem === undefined ? [] : [problem];
  }),
  uuid: new Format(
    'uuid',
    75,
    unless((s) => uuid.test(s), 'does not match the UUID format'),
  ),
  byte: new Format(
    'byte',
    84,
    unless((s) => base64.test(s), 'invalid base64'),
  ),
  date: new Format('date', 80, unless(isDate, 'invalid date')),
  datetime: new Format('datetime', 80, unless(isDateTime, 'invalid datetime')),
};

const quantities = [quantityType, quantityType];
const semvers = [semverType, semverType];
const semverPart = (name: string, i: 0 | 1 | 2): Overload[] => [
  member(`semver_${name}`, [semverType], int, (v) => asSemver(v).numbers[i]),
];

/** The quantity, semver and format libraries. https://kubernetes.io/docs/reference/using-api/cel/ */
export const kubernetesLibrary: Library = {
  quantity: [global('string_to_quantity', [string], quantityType, quantity)],
  isQuantity: [global('is_quantity_string', [string], bool, (v) => succeeds(() => quantity(v)))],
  sign: [global('quantity_sign', [quantityType], int, (v) => BigInt(asQuantity(v).sign))],
  asApproximateFloat: [member('quantity_get_float', [quantityType], double, (v) => asQuantity(v).asApproximateFloat())],
  asInteger: [member('quantity_get_int', [quantityType], int, (v) => wholeNumber(asQuantity(v)))],
  isInteger: [member('quantity_is_integer', [quantityType], bool, (v) => asQuantity(v).asInt64() !== undefined)],
  isGreaterThan: [
    member('quantity_is_greater_than', quantities, bool, (x, y) => asQuantity(x).compare(asQuantity(y)) > 0),
    member('semver_is_greater_than', semvers, bool, (x, y) => compareSemver(asSemver(x), asSemver(y)) > 0),
  ],
  isLessThan: [
    member('quantity_is_less_than', quantities, bool, (x, y) => asQuantity(x).compare(asQuantity(y)) < 0),
    member('semver_is_less_than', semvers, bool, (x, y) => compareSemver(asSemver(x), asSemver(y)) < 0),
  ],
  compareTo: [
    member('quantity_compare_to', quantities, int, (x, y) => BigInt(asQuantity(x).compare(asQuantity(y)))),
    member('semver_compare_to', semvers, int, (x, y) => BigInt(compareSemver(asSemver(x), asSemver(y)))),
  ],
  add: [
    member('quantity_add', quantities, quantityType, (x, y) => asQuantity(x).add(asQuantity(y))),
    member('quantity_add_int', [quantityType, int], quantityType, (x, y) => asQuantity(x).add(newQuantity(asInt(y)))),
  ],
  sub: [
    member('quantity_sub', quantities, quantityType, (x, y) => asQuantity(x).sub(asQuantity(y))),
    member('quantity_sub_int', [quantityType, int], quantityType, (x, y) => asQuantity(x).sub(newQuantity(asInt(y)))),
  ],
  semver: [
    global('string_to_semver', [string], semverType, (v) => semverOf(v)),
    global('string_bool_to_semver', [string, bool], semverType, semverOf),
  ],
  isSemver: [
    global('is_semver_string', [string], bool, (v) => succeeds(() => semverOf(v))),
    global('is_semver_string_bool', [string, bool], bool, (v, normalize) => succeeds(() => semverOf(v, normalize))),
  ],
  major: semverPart('major', 0),
  minor: semverPart('minor', 1),
  patch: semverPart('patch', 2),
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [
      `format.${name}`,
      [global(`format.${name}`, [], formatType, () => format)],
    ]),
  ),
  'format.named': [
    global('format-named', [string], types.optional(formatType), (v) => {
      const name = asText(v);
      return Object.hasOwn(formats, name) ? new Optional(formats[name]) : none;
    }),
  ],
  validate: [
    member('format-validate', [formatType, string], types.optional(types.list(string)), (f, v) => {
      const problems = asFormat(f).validate(asText(v));
      return problems.length === 0 ? none : new Optional(new ArrayList(problems));
    }),
  ],
};

/** Escapes in one pass, so that escape sequences are not escaped again. */
const escapeKey = (key: string): string => key.replace(/[~/]/g, (found) => (found === '/' ? '~1' : '~0'));

/** Only available to expressions that construct patches. After k8s.io/apiserver/pkg/cel/library/jsonpatch.go. */
export const jsonPatchLibrary: Library = {
  'jsonpatch.escapeKey': [
    global('string_jsonpatch_escapeKey_string', [types.string], types.string, (key) => escapeKey(asText(key))),
  ],
};
