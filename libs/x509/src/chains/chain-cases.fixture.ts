import { attribute, extensions, generalNames, nameOf, strings } from './certificate.fixture.ts';
import {
  below,
  client,
  constrained,
  direct,
  issuer,
  leaf,
  org,
  ownRoot,
  usageTypes,
  withIssuer,
  type ChainCase,
} from './case-parts.fixture.ts';
import { constraintCases } from './constraint-cases.fixture.ts';
import { integer } from './der-writer.fixture.ts';
import { furtherCases } from './further-cases.fixture.ts';

const { ca, usages, names, nameConstraints, subjectKeyId, authorityKeyId, policies, unknown } = extensions;
const { dns, email, ip, uri, directory } = generalNames;
const { client: clientAuth, server: serverAuth, any: anyUsage, other: otherUsage } = usageTypes;

const accepted: readonly Omit<ChainCase, 'isAccepted'>[] = [
  { name: 'issued by the authority', certificates: direct({}) },
  { name: 'one intermediate', certificates: withIssuer() },
  {
    name: 'three intermediates',
    certificates: {
      leaf: { by: 'a', extensions: [client] },
      a: { by: 'b', ...issuer },
      b: { by: 'c', ...issuer },
      c: issuer,
    },
  },
  {
    name: 'intermediates in another order, with others between, twice',
    certificates: {
      leaf: { by: 'a', extensions: [client] },
      ...{ a: { by: 'b', ...issuer }, b: issuer, stranger: { by: 'stranger', ...issuer } },
    },
    presents: ['leaf', 'b', 'stranger', 'a', 'b'],
  },
  {
    name: 'the trusted certificate presented, too',
    certificates: below({}),
    presents: ['leaf', 'root'],
  },
  {
    name: 'key identifiers',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, authorityKeyId('1')] },
      issuer: { extensions: [ca(), subjectKeyId('1')] },
    },
  },
  {
    name: 'key identifiers that do not match',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, authorityKeyId('2')] },
      issuer: { extensions: [ca(), subjectKeyId('1')] },
    },
  },
  { name: 'no extended key usage', certificates: { leaf: { by: 'issuer' }, issuer } },
  { name: 'any extended key usage', certificates: direct({ extensions: [usages(false, anyUsage)] }) },
  { name: 'several extended key usages', certificates: direct({ extensions: [usages(true, serverAuth, clientAuth)] }) },
  { name: 'an intermediate for clients', certificates: withIssuer(usages(false, clientAuth)) },
  { name: 'an intermediate for any usage', certificates: withIssuer(usages(false, anyUsage, otherUsage)) },
  {
    name: 'key usage of the client without digitalSignature',
    certificates: direct({ extensions: [client, extensions.keyUsage(2)] }),
  },
  { name: 'an intermediate that may sign certificates', certificates: withIssuer(extensions.keyUsage(5, 6)) },
  { name: 'a client certificate of a CA', certificates: direct({ extensions: [client, ca()] }) },
  { name: 'a path length of 0 above the client', certificates: { leaf, issuer: { extensions: [ca(0)] } } },
  {
    name: 'a path length of 1 above one intermediate',
    certificates: { leaf, issuer: { by: 'top', extensions: [ca(0)] }, top: { extensions: [ca(1)] } },
  },
  { name: 'an unknown extension that is not critical', certificates: direct({ extensions: [client, unknown(false)] }) },
  {
    name: 'a broken constraint of directory names that is not critical',
    certificates: withIssuer(nameConstraints([directory(org('team-a'))], [], false)),
  },
  { name: 'a DNS constraint, and no names', certificates: constrained([dns('team-a.example')], []) },
  { name: 'a DNS constraint', certificates: constrained([dns('team-a.example')], [], dns('a.Team-A.example')) },
  { name: 'a DNS constraint with a leading dot', certificates: constrained([dns('.example')], [], dns('a.example')) },
  { name: 'an excluded DNS name next to it', certificates: constrained([], [dns('a.example')], dns('ba.example')) },
  { name: 'a DNS constraint, and an IP address', certificates: constrained([dns('a.example')], [], ip(10, 0, 0, 1)) },
  { name: 'an IP constraint', certificates: constrained([ip(10, 0, 0, 0, 255, 0, 0, 0)], [], ip(10, 1, 2, 3)) },
  { name: 'an email constraint', certificates: constrained([email('a.example')], [], email('jane@A.example')) },
  {
    name: 'an email constraint of one address',
    certificates: constrained([email('j@a.example')], [], email('j@a.example')),
  },
  { name: 'a URI constraint', certificates: constrained([uri('.a.example')], [], uri('https://x.a.example:1/y')) },
  { name: 'RSA', certificates: { leaf: { ...leaf, key: 'rsa' }, issuer: { ...issuer, key: 'rsa' } } },
  {
    name: 'RSA-PSS signatures',
    certificates: { leaf: { ...leaf, signature: 'pssSha256' }, issuer: { ...issuer, key: 'rsa' } },
  },
  { name: 'an RSA intermediate of 1024 bits', certificates: { leaf, issuer: { ...issuer, key: 'rsa1024' } } },
  { name: 'Ed25519', certificates: { leaf: { ...leaf, key: 'ed25519' }, issuer: { ...issuer, key: 'ed25519' } } },
  {
    name: 'P-384 with SHA-384',
    certificates: { leaf: { ...leaf, signature: 'ecdsaSha384' }, issuer: { ...issuer, key: 'p384' } },
  },
  { name: 'P-521', certificates: { leaf, issuer: { ...issuer, key: 'p521' } } },
  { name: 'a P-224 intermediate', certificates: { leaf, issuer: { ...issuer, key: 'p224' } } },
  {
    name: 'an expired intermediate, and the same one renewed',
    certificates: { leaf, issuer: { ...issuer, to: -0.5 }, renewed: { ...issuer, sameAs: 'issuer' } },
  },
  {
    name: 'an intermediate for servers, and the same one for clients',
    certificates: {
      leaf,
      issuer: { extensions: [ca(), usages(false, serverAuth)] },
      other: { sameAs: 'issuer', extensions: [ca(), usages(false, clientAuth)] },
    },
  },
  { name: 'two intermediates of one name', certificates: { leaf, wrong: { ...issuer, namedAs: 'issuer' }, issuer } },
  {
    name: 'sixty forged intermediates of one name',
    certificates: { leaf, wrong: { ...issuer, namedAs: 'issuer', isForged: true, count: 60 }, issuer },
  },
  {
    name: 'a trusted intermediate of an unknown root',
    certificates: {
      leaf,
      issuer: { ...issuer, by: 'stranger', isTrusted: true },
      stranger: { ...issuer, by: 'stranger' },
    },
    presents: ['leaf'],
  },
  {
    name: 'a trusted client certificate',
    certificates: { leaf: { by: 'leaf', isTrusted: true, extensions: [client] } },
    presents: ['leaf'],
  },
  { name: 'a root of version 1', certificates: below({ version: 1, extensions: [] }) },
  {
    name: 'two CAs that signed each other',
    certificates: {
      leaf: { by: 'a', extensions: [client] },
      ...{ a: { by: 'b', ...issuer }, b: { by: 'a', ...issuer }, rooted: { ...issuer, sameAs: 'b' } },
    },
  },
  {
    name: 'policies, required and named',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, policies('1.2.3')] },
      issuer: { extensions: [ca(), policies('1.2.3'), extensions.requireExplicitPolicy] },
    },
  },
  {
    name: 'policies that differ, and are not required',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, policies('1.2.4')] },
      issuer: { extensions: [ca(), policies('1.2.3')] },
    },
  },
  {
    name: 'a mapped policy',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, policies('1.2.4')] },
      issuer: {
        extensions: [
          ...[ca(), policies('1.2.3'), extensions.policyMapping('1.2.3', '1.2.4')],
          extensions.requireExplicitPolicy,
        ],
      },
    },
  },
];

const refused: readonly Omit<ChainCase, 'isAccepted'>[] = [
  { name: 'an unknown root', certificates: { leaf, issuer: { ...issuer, by: 'issuer' } } },
  { name: 'self-signed', certificates: direct({ by: 'leaf' }) },
  { name: 'the intermediate is not presented', certificates: withIssuer(), presents: ['leaf'] },
  { name: 'expired', certificates: direct({ to: -0.5 }) },
  { name: 'not yet valid', certificates: direct({ from: 0.5 }) },
  { name: 'an expired intermediate', certificates: { leaf, issuer: { ...issuer, to: -0.5 } } },
  { name: 'an intermediate that is not yet valid', certificates: { leaf, issuer: { ...issuer, from: 0.5 } } },
  { name: 'an expired root', certificates: below({ to: -0.5 }) },
  { name: 'an intermediate without basic constraints', certificates: { leaf, issuer: {} } },
  { name: 'an intermediate that is not a CA', certificates: { leaf, issuer: { extensions: [extensions.noCA] } } },
  { name: 'an intermediate of version 1', certificates: { leaf, issuer: { version: 1 } } },
  { name: 'an intermediate without keyCertSign', certificates: withIssuer(extensions.keyUsage(0)) },
  { name: 'a root without keyCertSign', certificates: below({ extensions: [ca(), extensions.keyUsage(0)] }) },
  { name: 'a root that is not a CA', certificates: below({ extensions: [extensions.noCA] }) },
  {
    name: 'a path length of 0 above another intermediate',
    certificates: { leaf, issuer: { by: 'top', ...issuer }, top: { extensions: [ca(0)] } },
  },
  {
    name: 'a root with a path length of 0 above an intermediate',
    certificates: { leaf, issuer: { ...issuer, by: 'root' }, root: ownRoot({ extensions: [ca(0)] }) },
  },
  { name: 'only for servers', certificates: direct({ extensions: [usages(false, serverAuth)] }) },
  { name: 'a critical usage of another kind', certificates: direct({ extensions: [usages(true, otherUsage)] }) },
  { name: 'an intermediate only for servers', certificates: withIssuer(usages(false, serverAuth)) },
  { name: 'an intermediate for another usage', certificates: withIssuer(usages(false, otherUsage)) },
  { name: 'a root only for servers', certificates: below({ extensions: [ca(), usages(false, serverAuth)] }) },
  { name: 'an unknown critical extension', certificates: direct({ extensions: [client, unknown(true)] }) },
  { name: 'an intermediate with an unknown critical extension', certificates: withIssuer(unknown(true)) },
  { name: 'a root with an unknown critical extension', certificates: below({ extensions: [ca(), unknown(true)] }) },
  {
    name: 'a broken constraint of directory names',
    certificates: withIssuer(nameConstraints([directory(org('team-a'))])),
  },
  {
    name: 'a constraint of directory names that holds',
    certificates: withIssuer(nameConstraints([directory(org('system:masters'))])),
  },
  { name: 'a DNS name that is not permitted', certificates: constrained([dns('a.example')], [], dns('ba.example')) },
  {
    name: 'a DNS name where the constraint begins with a dot',
    certificates: constrained([dns('.a.example')], [], dns('a.example')),
  },
  { name: 'an excluded DNS name', certificates: constrained([], [dns('a.example')], dns('b.A.example')) },
  {
    name: 'a wildcard over an excluded DNS name',
    certificates: constrained([], [dns('b.a.example')], dns('*.a.example')),
  },
  {
    name: 'an IP address that is not permitted',
    certificates: constrained([ip(10, 0, 0, 0, 255, 0, 0, 0)], [], ip(11, 1, 2, 3)),
  },
  { name: 'an excluded IP address', certificates: constrained([], [ip(10, 0, 0, 0, 255, 0, 0, 0)], ip(10, 1, 2, 3)) },
  {
    name: 'an email address that is not permitted',
    certificates: constrained([email('a.example')], [], email('j@b.example')),
  },
  {
    name: 'an email address of another person',
    certificates: constrained([email('j@a.example')], [], email('k@a.example')),
  },
  { name: 'a URI that is not permitted', certificates: constrained([uri('a.example')], [], uri('https://b.example/')) },
  { name: 'a URI with an IP address', certificates: constrained([uri('a.example')], [], uri('https://10.0.0.1/')) },
  {
    name: 'a constraint that an intermediate breaks',
    certificates: {
      leaf,
      issuer: { by: 'top', extensions: [ca(), names(dns('b.example'))] },
      top: { extensions: [ca(), nameConstraints([dns('a.example')])] },
    },
  },
  {
    name: 'a constraint of the root',
    certificates: {
      leaf: { by: 'root', extensions: [client, names(dns('b.example'))] },
      root: ownRoot({ extensions: [ca(), nameConstraints([dns('a.example')])] }),
    },
  },
  { name: 'SHA-1', certificates: direct({ signature: 'ecdsaSha1' }) },
  { name: 'an intermediate signed with SHA-1', certificates: { leaf, issuer: { ...issuer, signature: 'ecdsaSha1' } } },
  {
    name: 'SHA-1 with RSA',
    certificates: { leaf: { ...leaf, signature: 'rsaSha1' }, issuer: { ...issuer, key: 'rsa' } },
  },
  {
    name: 'an intermediate signed with MD5',
    certificates: {
      leaf,
      issuer: { by: 'top', signature: 'rsaMd5', extensions: [ca()] },
      top: { key: 'rsa', extensions: [ca()] },
    },
  },
  {
    name: 'RSA-PSS with a short salt',
    certificates: { leaf: { ...leaf, signature: 'pssShortSalt' }, issuer: { ...issuer, key: 'rsa' } },
  },
  { name: 'an RSA intermediate of 512 bits', certificates: { leaf, issuer: { ...issuer, key: 'rsa512' } } },
  { name: 'a forged signature', certificates: direct({ isForged: true }) },
  { name: 'a forged intermediate', certificates: { leaf, issuer: { ...issuer, isForged: true } } },
  {
    name: 'a hundred and twenty forged intermediates of one name',
    certificates: { leaf, wrong: { ...issuer, namedAs: 'issuer', isForged: true, count: 120 }, issuer },
  },
  {
    name: 'an issuer name in another case',
    certificates: { leaf: { ...leaf, issuer: org('team a') }, issuer: { ...issuer, subject: org('Team  A') } },
  },
  {
    name: 'an issuer name of another string type',
    certificates: {
      leaf: { ...leaf, issuer: nameOf(attribute('O', 'team', strings.printable)) },
      issuer: { ...issuer, subject: org('team') },
    },
  },
  {
    name: 'two CAs that signed each other, without a root',
    certificates: { leaf: { by: 'a', extensions: [client] }, a: { by: 'b', ...issuer }, b: { by: 'a', ...issuer } },
  },
  { name: 'an extension twice', certificates: direct({ extensions: [client, client] }) },
  { name: 'a negative serial number', certificates: direct({ serial: integer(0x80) }) },
  {
    name: 'a critical subject key identifier',
    certificates: direct({ extensions: [client, subjectKeyId('1', true)] }),
  },
  {
    name: 'a string that is not printable',
    certificates: direct({
      subject: nameOf(attribute('O', 'system:masters'), attribute('CN', 'e_vil', strings.printable)),
    }),
  },
  {
    name: 'a stranger with an unsupported curve beside a valid chain',
    certificates: { ...withIssuer(), stranger: { by: 'stranger', ...issuer, key: 'secp256k1' } },
  },
  {
    name: 'a required policy that the client does not name',
    certificates: withIssuer(policies('1.2.3'), extensions.requireExplicitPolicy),
  },
  {
    name: 'a required policy, and another one',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, policies('1.2.4')] },
      issuer: { extensions: [ca(), policies('1.2.3'), extensions.requireExplicitPolicy] },
    },
  },
  {
    name: 'any policy mapped',
    certificates: {
      leaf: { by: 'issuer', extensions: [client, policies('1.2.3')] },
      issuer: { extensions: [ca(), policies('1.2.3'), extensions.policyMapping('2.5.29.32.0', '1.2.3')] },
    },
  },
];

/** Chains of client certificates with the verdicts of kube-apiserver 1.36.2. */
export const chainCases: readonly ChainCase[] = [
  ...accepted.map((row) => ({ ...row, isAccepted: true })),
  ...refused.map((row) => ({ ...row, isAccepted: false })),
  ...furtherCases,
  ...constraintCases,
];
