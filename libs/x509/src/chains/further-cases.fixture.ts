import { extension, extensions, generalNames, nameOf } from './certificate.fixture.ts';
import {
  below,
  client,
  direct,
  issuer,
  leaf,
  ownRoot,
  usageTypes,
  withIssuer,
  type CertificateCase,
  type ChainCase,
} from './case-parts.fixture.ts';
import { boolean, der, integer, sequence } from './der-writer.fixture.ts';

const { ca, keyUsage, usages, names, nameConstraints, subjectKeyId, authorityKeyId, policies, unknown } = extensions;
const { policyConstraints, inhibitAnyPolicy, policyMapping, requireExplicitPolicy } = extensions;
const { dns, directory } = generalNames;
const anyPolicy = '2.5.29.32.0';
const unnamed = nameOf();
const asLeaf = (...more: CertificateCase['extensions'] & object): CertificateCase => ({
  by: 'issuer',
  extensions: [client, ...more],
});
const asCA = (...more: CertificateCase['extensions'] & object): CertificateCase => ({ extensions: [ca(), ...more] });
const utcTime = (text: string) => der(0x17, Buffer.from(text));
/** A chain of CAs, each by the next: `a0` by `a1`, ... the last one by the shared authority. */
const chainOf = (length: number): ChainCase['certificates'] => ({
  leaf: { by: 'a0', extensions: [client] },
  ...Object.fromEntries(
    Array.from({ length }, (_, at) => [`a${at}`, at === length - 1 ? issuer : { by: `a${at + 1}`, ...issuer }]),
  ),
});

const paths: readonly ChainCase[] = [
  {
    name: 'a root that a trusted one has signed, too',
    isAccepted: true,
    certificates: {
      leaf,
      issuer: { by: 'new', ...issuer },
      new: { by: 'new', ...issuer },
      cross: { sameAs: 'new', ...issuer },
    },
  },
  {
    name: 'the client certificate twice',
    isAccepted: true,
    certificates: { leaf, issuer },
    presents: ['leaf', 'leaf', 'issuer'],
  },
  {
    name: 'an identifier of the wrong one of two keys',
    isAccepted: true,
    certificates: {
      leaf: asLeaf(authorityKeyId('1')),
      wrong: { namedAs: 'issuer', ...asCA(subjectKeyId('1')) },
      issuer: asCA(subjectKeyId('2')),
    },
  },
  {
    name: 'an intermediate without a name',
    isAccepted: true,
    certificates: { leaf: { ...leaf, issuer: unnamed }, issuer: { ...issuer, subject: unnamed } },
  },
  { name: 'fifty intermediates', isAccepted: true, certificates: chainOf(50) },
  {
    name: 'a path length of 0 above an intermediate that has its own name as issuer',
    isAccepted: false,
    certificates: { leaf, issuer: { by: 'top', namedAs: 'top', ...issuer }, top: { extensions: [ca(0)] } },
  },
  {
    name: 'two intermediates of one key, one with a broken constraint',
    isAccepted: true,
    certificates: {
      leaf: asLeaf(names(dns('b.example'))),
      issuer: asCA(nameConstraints([dns('a.example')])),
      other: { sameAs: 'issuer', ...issuer },
    },
  },
  {
    name: 'an expired root, and the same one renewed',
    isAccepted: true,
    certificates: {
      leaf: { by: 'root', extensions: [client] },
      root: ownRoot({ to: -0.5 }),
      renewed: ownRoot({ sameAs: 'root' }),
    },
    presents: ['leaf'],
  },
  {
    name: 'an expired intermediate that is trusted, and the same one renewed',
    isAccepted: true,
    certificates: { leaf, issuer: { ...issuer, isTrusted: true, to: -0.5 }, renewed: { sameAs: 'issuer', ...issuer } },
    presents: ['leaf', 'renewed'],
  },
  {
    name: 'a trusted client certificate that has expired',
    isAccepted: false,
    certificates: { leaf: { by: 'leaf', isTrusted: true, to: -0.5 } },
    presents: ['leaf'],
  },
  {
    name: 'a trusted client certificate for servers',
    isAccepted: false,
    certificates: { leaf: { by: 'leaf', isTrusted: true, extensions: [usages(false, usageTypes.server)] } },
    presents: ['leaf'],
  },
  { name: 'a root that signed itself with SHA-1', isAccepted: true, certificates: below({ signature: 'ecdsaSha1' }) },
  { name: 'an intermediate of version 2', isAccepted: false, certificates: { leaf, issuer: { version: 2 } } },
  { name: 'a root of version 2', isAccepted: true, certificates: below({ version: 2, extensions: [] }) },
  {
    name: 'extensions in a certificate of version 1',
    isAccepted: true,
    certificates: direct({ version: 1, extensions: [unknown(true)] }),
  },
  {
    name: 'a stranger with an unknown critical extension',
    isAccepted: true,
    certificates: { leaf, issuer, stranger: { by: 'stranger', ...asCA(unknown(true)) } },
  },
  {
    name: 'a stranger that is malformed',
    isAccepted: false,
    certificates: { leaf, issuer, stranger: { by: 'stranger', ...asCA(subjectKeyId('1', true)) } },
  },
];

const contents: readonly ChainCase[] = [
  {
    name: 'a root for clients',
    isAccepted: true,
    certificates: below({ extensions: [ca(), usages(true, usageTypes.client)] }),
  },
  {
    name: 'a root for any usage',
    isAccepted: true,
    certificates: below({ extensions: [ca(), usages(false, usageTypes.any)] }),
  },
  {
    name: 'a root for another usage',
    isAccepted: false,
    certificates: below({ extensions: [ca(), usages(false, usageTypes.other)] }),
  },
  {
    name: 'another usage beside that of clients',
    isAccepted: true,
    certificates: direct({ extensions: [usages(false, usageTypes.other, usageTypes.client)] }),
  },
  { name: 'an empty list of usages', isAccepted: true, certificates: direct({ extensions: [usages(false)] }) },
  { name: 'an intermediate with a key usage of no bit', isAccepted: true, certificates: withIssuer(keyUsage()) },
  {
    name: 'a path length without a CA',
    isAccepted: true,
    certificates: direct({ extensions: [client, extension('2.5.29.19', sequence(integer(0)))] }),
  },
  {
    name: 'a negative path length',
    isAccepted: false,
    certificates: { leaf, issuer: { extensions: [extension('2.5.29.19', sequence(boolean(true), integer(0xff)))] } },
  },
  {
    name: 'data after the basic constraints',
    isAccepted: true,
    certificates: {
      leaf,
      issuer: { extensions: [extension('2.5.29.19', Buffer.concat([sequence(boolean(true)), integer(1)]))] },
    },
  },
  {
    name: 'a critical authority key identifier',
    isAccepted: false,
    certificates: direct({ extensions: [client, authorityKeyId('1', true)] }),
  },
  {
    name: 'a critical authority information access',
    isAccepted: false,
    certificates: direct({ extensions: [client, extension('1.3.6.1.5.5.7.1.1', sequence(), true)] }),
  },
  {
    name: 'a distribution point of a revocation list',
    isAccepted: true,
    certificates: direct({ extensions: [client, extension('2.5.29.31', sequence(sequence()))] }),
  },
  {
    name: 'a malformed distribution point',
    isAccepted: false,
    certificates: direct({ extensions: [client, extension('2.5.29.31', sequence(integer(1)))] }),
  },
  {
    name: 'names of no known kind that are critical',
    isAccepted: false,
    certificates: direct({ extensions: [client, extension('2.5.29.17', sequence(directory(unnamed)), true)] }),
  },
  {
    name: 'names of no known kind',
    isAccepted: true,
    certificates: direct({ extensions: [client, names(directory(unnamed))] }),
  },
  { name: 'a serial number of zero', isAccepted: true, certificates: direct({ serial: integer(0) }) },
  {
    name: 'a serial number of thirty bytes',
    isAccepted: true,
    certificates: direct({ serial: integer(...Array.from({ length: 30 }, () => 1)) }),
  },
  { name: 'an end in UTCTime', isAccepted: true, certificates: direct({ end: utcTime('491231235959Z') }) },
  {
    name: 'an end in UTCTime of the last century',
    isAccepted: false,
    certificates: direct({ end: utcTime('991231235959Z') }),
  },
  { name: 'an end with an offset', isAccepted: true, certificates: direct({ end: utcTime('491231235959+0100') }) },
  {
    name: 'an end with an offset of zero',
    isAccepted: false,
    certificates: direct({ end: utcTime('491231235959+0000') }),
  },
  {
    name: 'RSA with an exponent of 3',
    isAccepted: true,
    certificates: { leaf: { ...leaf, key: 'rsaExponent3' }, issuer: { ...issuer, key: 'rsaExponent3' } },
  },
  { name: 'a client with an RSA key of 1024 bits', isAccepted: true, certificates: direct({ key: 'rsa1024' }) },
  {
    name: 'RSA with SHA-512',
    isAccepted: true,
    certificates: { leaf: { ...leaf, signature: 'rsaSha512' }, issuer: { ...issuer, key: 'rsa' } },
  },
  {
    name: 'an RSA signature without parameters',
    isAccepted: true,
    certificates: { leaf: { ...leaf, signature: 'rsaWithoutNull' }, issuer: { ...issuer, key: 'rsa' } },
  },
  { name: 'SHA-512', isAccepted: true, certificates: direct({ signature: 'ecdsaSha512' }) },
  {
    name: 'an intermediate signed with SHA-224',
    isAccepted: false,
    certificates: { leaf, issuer: { ...issuer, signature: 'ecdsaSha224' } },
  },
];

const policyRules: readonly ChainCase[] = [
  {
    name: 'a policy that only the client requires',
    isAccepted: false,
    certificates: { leaf: asLeaf(requireExplicitPolicy), issuer },
  },
  {
    name: 'any policy above a required one',
    isAccepted: true,
    certificates: { leaf: asLeaf(policies('1.2.3')), issuer: asCA(policies(anyPolicy), requireExplicitPolicy) },
  },
  {
    name: 'any policy of the client where one is required',
    isAccepted: true,
    certificates: { leaf: asLeaf(policies(anyPolicy)), issuer: asCA(policies('1.2.3'), requireExplicitPolicy) },
  },
  {
    name: 'any policy where it is inhibited and one is required',
    isAccepted: false,
    certificates: {
      leaf: asLeaf(policies(anyPolicy)),
      issuer: asCA(policies('1.2.3'), requireExplicitPolicy, inhibitAnyPolicy(0)),
    },
  },
  {
    name: 'any policy where it is inhibited and none is required',
    isAccepted: true,
    certificates: { leaf: asLeaf(policies(anyPolicy)), issuer: asCA(policies('1.2.3'), inhibitAnyPolicy(0)) },
  },
  {
    name: 'a policy required one certificate below',
    isAccepted: false,
    certificates: withIssuer(policies('1.2.3'), policyConstraints(1)),
  },
  {
    name: 'a policy required two certificates below',
    isAccepted: true,
    certificates: withIssuer(policies('1.2.3'), policyConstraints(2)),
  },
  {
    name: 'a mapped policy where mappings are inhibited',
    isAccepted: false,
    certificates: {
      leaf: asLeaf(policies('1.2.4')),
      issuer: { by: 'top', ...asCA(policies('1.2.3'), policyMapping('1.2.3', '1.2.4')) },
      top: asCA(policies('1.2.3'), policyConstraints(0, 0)),
    },
  },
  {
    name: 'a policy twice',
    isAccepted: false,
    certificates: direct({ extensions: [client, policies('1.2.3', '1.2.3')] }),
  },
  {
    name: 'an intermediate without policies above a required one',
    isAccepted: false,
    certificates: {
      leaf: asLeaf(policies('1.2.3')),
      issuer: { by: 'top', ...issuer },
      top: asCA(policies('1.2.3'), requireExplicitPolicy),
    },
  },
];

/** Further kinds of chains, after every rule that Go's verifier has. */
export const furtherCases: readonly ChainCase[] = [...paths, ...contents, ...policyRules];
