import { DerError, DerReader, integerBytes, smallInteger, tags, primitive, constructed, type DerValue } from './der.ts';
import { readAlternativeNames, type AlternativeNames } from './alternative-names.ts';
import { readNameConstraints, type NameConstraints } from './name-constraints.ts';

interface PolicyMapping {
  readonly issuer: string;
  readonly subject: string;
}

/** What the extensions of a certificate say. Object identifiers of policies are hexadecimal, others are dotted. */
export interface Extensions {
  basicConstraints?: { readonly isCA: boolean; readonly maxPathLength?: number };
  /** Bits as in RFC 5280: bit 0 is digitalSignature, bit 5 keyCertSign. No bit = any usage. */
  keyUsage?: number;
  extendedKeyUsages?: readonly string[];
  alternativeNames?: AlternativeNames;
  /** The value of the extension of alternative names. */
  alternativeNamesValue?: Buffer;
  nameConstraints?: NameConstraints;
  /** Hexadecimal. */
  subjectKeyId?: string;
  authorityKeyId?: string;
  policies?: readonly string[];
  policyMappings?: readonly PolicyMapping[];
  requireExplicitPolicy?: number;
  inhibitPolicyMapping?: number;
  inhibitAnyPolicy?: number;
  /** Whether a critical extension is unknown, or says something that is not implemented, as Go decides it. */
  hasUnhandledCritical: boolean;
}

interface Extension {
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/** Reads an extension. Returns false when it says something that is not implemented. Throws DerError. */
type ExtensionReader = (to: Extensions, extension: Extension) => boolean | void;

const readers: ReadonlyMap<string, ExtensionReader> = new Map<string, ExtensionReader>([
  ['2.5.29.14', readSubjectKeyId],
  ['2.5.29.15', readKeyUsage],
  ['2.5.29.17', readSubjectAlternativeNames],
  ['2.5.29.19', readBasicConstraints],
  [
    '2.5.29.30',
    (to, { value }) => {
      const { constraints, isComplete } = readNameConstraints(value);
      to.nameConstraints = constraints;
      return isComplete;
    },
  ],
  ['2.5.29.31', checkDistributionPoints],
  ['2.5.29.32', readPolicies],
  ['2.5.29.33', readPolicyMappings],
  ['2.5.29.35', readAuthorityKeyId],
  ['2.5.29.36', readPolicyConstraints],
  ['2.5.29.37', readExtendedKeyUsages],
  [
    '2.5.29.54',
    (to, { value }) => {
      to.inhibitAnyPolicy = smallInteger(new DerReader(value).value(tags.integer));
    },
  ],
  ['1.3.6.1.5.5.7.1.1', checkInformationAccess],
]);

/** Reads the extensions of a certificate, RFC 5280, section 4.2. Throws DerError where Go does not read the certificate. */
export function readExtensions(list: DerReader): Extensions {
  const to: Extensions = { hasUnhandledCritical: false };
  const seen = new Set<string>();
  while (!list.isAtEnd) {
    const extension = list.inner(tags.sequence);
    const type = extension.objectIdentifier();
    if (seen.has(type)) throw new DerError('an extension is there twice');
    seen.add(type);
    const isCritical = extension.nextIs(tags.boolean) && extension.boolean();
    const { content: value } = extension.value(tags.octetString);
    const read = readers.get(type);
    const isHandled = read !== undefined && read(to, { isCritical, value }) !== false;
    if (isCritical && !isHandled) to.hasUnhandledCritical = true;
  }
  return to;
}

function mustNotBeCritical({ isCritical }: Extension, name: string): void {
  if (isCritical) throw new DerError(`${name} is critical`);
}

function readSubjectKeyId(to: Extensions, extension: Extension): void {
  mustNotBeCritical(extension, 'the subject key identifier');
  to.subjectKeyId = new DerReader(extension.value).value(tags.octetString).content.toString('hex');
}

function readAuthorityKeyId(to: Extensions, extension: Extension): void {
  mustNotBeCritical(extension, 'the authority key identifier');
  const id = new DerReader(extension.value).inner(tags.sequence).optional(primitive(0));
  if (id !== undefined) to.authorityKeyId = id.content.toString('hex');
}

function readKeyUsage(to: Extensions, { value }: Extension): void {
  const [first = 0, second = 0] = new DerReader(value).bits();
  let usage = 0;
  for (let bit = 0; bit < 9; bit++) if ((((first << 8) | second) & (0x8000 >> bit)) !== 0) usage |= 1 << bit;
  to.keyUsage = usage;
}

function readSubjectAlternativeNames(to: Extensions, { value }: Extension): boolean {
  to.alternativeNamesValue = value;
  to.alternativeNames = readAlternativeNames(value);
  return Object.values(to.alternativeNames).some((names: readonly unknown[]) => names.length > 0);
}

function readBasicConstraints(to: Extensions, { value }: Extension): void {
  const fields = new DerReader(value).inner(tags.sequence);
  const isCA = fields.nextIs(tags.boolean) && fields.boolean();
  const length = fields.optional(tags.integer);
  to.basicConstraints = length === undefined ? { isCA } : { isCA, maxPathLength: smallInteger(length) };
}

function readExtendedKeyUsages(to: Extensions, { value }: Extension): void {
  const list = new DerReader(value).inner(tags.sequence);
  const usages: string[] = [];
  while (!list.isAtEnd) usages.push(list.objectIdentifier());
  to.extendedKeyUsages = usages;
}

function readPolicies(to: Extensions, { value }: Extension): void {
  const list = new DerReader(value).inner(tags.sequence);
  const policies: string[] = [];
  while (!list.isAtEnd) policies.push(policyOf(list.inner(tags.sequence)));
  if (new Set(policies).size < policies.length) throw new DerError('a policy is there twice');
  to.policies = policies;
}

const policyOf = (reader: DerReader): string => reader.value(tags.objectIdentifier).content.toString('hex');

function readPolicyMappings(to: Extensions, { value }: Extension): void {
  const list = new DerReader(value).inner(tags.sequence);
  const mappings: PolicyMapping[] = [];
  while (!list.isAtEnd) {
    const mapping = list.inner(tags.sequence);
    mappings.push({ issuer: policyOf(mapping), subject: policyOf(mapping) });
  }
  to.policyMappings = mappings;
}

function readPolicyConstraints(to: Extensions, { value }: Extension): void {
  const fields = new DerReader(value).inner(tags.sequence);
  const explicit = fields.optional(primitive(0));
  const mapping = fields.optional(primitive(1));
  if (explicit !== undefined) to.requireExplicitPolicy = smallInteger(explicit);
  if (mapping !== undefined) to.inhibitPolicyMapping = smallInteger(mapping);
}

/** Only the form is checked: Go, too, asks no revocation list. */
function checkDistributionPoints(_to: Extensions, { value }: Extension): void {
  const points = new DerReader(value).inner(tags.sequence);
  while (!points.isAtEnd) {
    const name = points.inner(tags.sequence).optional(constructed(0));
    if (name !== undefined) new DerReader(name.content).value(constructed(0));
  }
}

function checkInformationAccess(_to: Extensions, extension: Extension): void {
  mustNotBeCritical(extension, 'the authority information access');
  const list = new DerReader(extension.value).inner(tags.sequence);
  while (!list.isAtEnd) list.inner(tags.sequence).objectIdentifier();
}

/** Throws DerError unless a serial number is an integer of zero or more. */
export function checkSerialNumber(value: DerValue): void {
  if ((integerBytes(value)[0] ?? 0) >= 0x80) throw new DerError('a negative serial number');
}
