import type { CertificateCase, ChainCase } from './case-parts.fixture.ts';
import { attribute, extensions, generalNames, nameOf } from './certificate.fixture.ts';
import { integer, type Der } from './der-writer.fixture.ts';

/** A chain that a server presents, and whether a client of Go's crypto/tls accepts it. */
interface ServerCase extends ChainCase {
  /** The name that the client expects. Default: that of the certificate. */
  readonly host?: string;
  /** Set when OpenSSL, which verifies servers here, decides otherwise than Go. */
  readonly differs?: true;
}

/** The name of the servers. */
export const serverName = 'server.zone.svc';

const { ca, usages, names, nameConstraints, subjectKeyId, authorityKeyId, policies, unknown } = extensions;
const { dns, ip, directory } = generalNames;
const clientAuth = '1.3.6.1.5.5.7.3.2';
const serverAuth = '1.3.6.1.5.5.7.3.1';
const anyUsage = '2.5.29.37.0';
const ordinary = [usages(false, serverAuth), names(dns(serverName))];
const org = (name: string): Der => nameOf(attribute('O', name));

type Certificates = Readonly<Record<string, CertificateCase>>;
const issuer: CertificateCase = { extensions: [ca()] };
const leaf: CertificateCase = { by: 'issuer', extensions: ordinary };
const direct = (changes: CertificateCase): Certificates => ({ leaf: { extensions: ordinary, ...changes } });
const named = (...has: readonly Der[]): Certificates =>
  direct({ extensions: [usages(false, serverAuth), names(...has)] });
const withIssuer = (...more: readonly Der[]): Certificates => ({ leaf, issuer: { extensions: [ca(), ...more] } });
const underRoot = (root: CertificateCase): Certificates => ({
  leaf: { by: 'root', extensions: ordinary },
  root: { by: 'root', isTrusted: true, extensions: [ca()], ...root },
});

type Row = Omit<ServerCase, 'isAccepted'>;

const accepted: readonly Row[] = [
  { name: 'issued by the authority', certificates: direct({}) },
  { name: 'one intermediate', certificates: withIssuer() },
  {
    name: 'two intermediates',
    certificates: { leaf, issuer: { by: 'top', extensions: [ca(0)] }, top: { extensions: [ca(1)] } },
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
    name: 'trusted itself, self-signed',
    certificates: { leaf: { ...leaf, by: 'leaf', isTrusted: true } },
    presents: ['leaf'],
  },
  {
    name: 'trusted itself, of an unknown issuer',
    certificates: { leaf: { ...leaf, isTrusted: true }, issuer: { ...issuer, by: 'issuer' } },
    presents: ['leaf'],
  },
  { name: 'no extended key usage', certificates: direct({ extensions: [names(dns(serverName))] }) },
  {
    name: 'for clients, too',
    certificates: direct({ extensions: [usages(true, clientAuth, serverAuth), names(dns(serverName))] }),
  },
  { name: 'a wildcard', certificates: named(dns('*.zone.svc')) },
  {
    name: 'a wildcard below a top-level domain',
    certificates: named(dns('*.svc')),
    host: 'server.svc',
    differs: true,
  },
  { name: 'an address', certificates: named(ip(127, 0, 0, 1)), host: '127.0.0.1' },
  { name: 'a DNS constraint', certificates: withIssuer(nameConstraints([dns('svc')])) },
  { name: 'RSA', certificates: { leaf: { ...leaf, key: 'rsa' }, issuer: { ...issuer, key: 'rsa' } } },
  {
    name: 'any extended key usage',
    certificates: direct({ extensions: [usages(false, anyUsage), names(dns(serverName))] }),
    differs: true,
  },
  { name: 'an intermediate for any usage', certificates: withIssuer(usages(false, anyUsage)), differs: true },
  {
    name: 'key identifiers that do not match',
    certificates: {
      leaf: { by: 'issuer', extensions: [...ordinary, authorityKeyId('2')] },
      issuer: { extensions: [ca(), subjectKeyId('1')] },
    },
    differs: true,
  },
  {
    name: 'a broken constraint of directory names that is not critical',
    certificates: withIssuer(nameConstraints([directory(org('a'))], [], false)),
    differs: true,
  },
  {
    name: 'an RSA intermediate of 1024 bits',
    certificates: { leaf, issuer: { ...issuer, key: 'rsa1024' } },
    differs: true,
  },
  {
    name: 'two intermediates of one name',
    certificates: { leaf, wrong: { ...issuer, namedAs: 'issuer' }, issuer },
    differs: true,
  },
];

const refused: readonly Row[] = [
  { name: 'an unknown root', certificates: { leaf, issuer: { ...issuer, by: 'issuer' } } },
  { name: 'self-signed', certificates: direct({ by: 'leaf' }) },
  { name: 'expired', certificates: direct({ to: -0.5 }) },
  { name: 'an expired intermediate', certificates: { leaf, issuer: { ...issuer, to: -0.5 } } },
  { name: 'an expired root', certificates: underRoot({ to: -0.5 }) },
  { name: 'not yet valid', certificates: direct({ from: 0.5 }) },
  {
    name: 'only for clients',
    certificates: direct({ extensions: [usages(false, clientAuth), names(dns(serverName))] }),
  },
  { name: 'an intermediate only for clients', certificates: withIssuer(usages(false, clientAuth)) },
  { name: 'a root only for clients', certificates: underRoot({ extensions: [ca(), usages(false, clientAuth)] }) },
  { name: 'an intermediate that is not a CA', certificates: { leaf, issuer: { extensions: [extensions.noCA] } } },
  { name: 'an intermediate without keyCertSign', certificates: withIssuer(extensions.keyUsage(0)) },
  {
    name: 'a path length of 0 above another intermediate',
    certificates: { leaf, issuer: { by: 'top', ...issuer }, top: { extensions: [ca(0)] } },
  },
  { name: 'an unknown critical extension', certificates: direct({ extensions: [...ordinary, unknown(true)] }) },
  { name: 'an intermediate with an unknown critical extension', certificates: withIssuer(unknown(true)) },
  { name: 'a broken constraint of directory names', certificates: withIssuer(nameConstraints([directory(org('a'))])) },
  { name: 'a DNS name that is not permitted', certificates: withIssuer(nameConstraints([dns('a.svc')])) },
  { name: 'an excluded DNS name', certificates: withIssuer(nameConstraints([], [dns('svc')])) },
  { name: 'SHA-1', certificates: direct({ signature: 'ecdsaSha1' }) },
  { name: 'an intermediate signed with SHA-1', certificates: { leaf, issuer: { ...issuer, signature: 'ecdsaSha1' } } },
  { name: 'a forged signature', certificates: direct({ isForged: true }) },
  { name: 'another name', certificates: named(dns('other.svc')) },
  { name: 'a wildcard for one label', certificates: named(dns('*.zone.svc')), host: 'a.b.zone.svc' },
  {
    name: 'a common name without alternative names',
    certificates: direct({ extensions: [usages(false, serverAuth)], subject: nameOf(attribute('CN', serverName)) }),
  },
  {
    name: 'a common name beside other alternative names',
    certificates: direct({
      extensions: [usages(false, serverAuth), names(generalNames.email('j@a.svc'))],
      subject: nameOf(attribute('CN', serverName)),
    }),
  },
  { name: 'an address without an alternative name for it', certificates: named(dns('127.0.0.1')), host: '127.0.0.1' },
  {
    name: 'a constraint of directory names that holds',
    certificates: withIssuer(nameConstraints([directory(org('system:masters'))])),
    differs: true,
  },
  {
    name: 'a wildcard over an excluded DNS name',
    certificates: {
      leaf: { by: 'issuer', extensions: [usages(false, serverAuth), names(dns('*.zone.svc'))] },
      issuer: { extensions: [ca(), nameConstraints([], [dns('x.zone.svc')])] },
    },
    differs: true,
  },
  {
    name: 'an issuer name in another case',
    certificates: { leaf: { ...leaf, issuer: org('team a') }, issuer: { ...issuer, subject: org('Team A') } },
    differs: true,
  },
  { name: 'a negative serial number', certificates: direct({ serial: integer(0x80) }), differs: true },
  {
    name: 'a required policy that the server does not name',
    certificates: withIssuer(policies('1.2.3'), extensions.requireExplicitPolicy),
    differs: true,
  },
];

/** Chains of serving certificates with the verdicts of Go 1.26. */
export const serverCases: readonly ServerCase[] = [
  ...accepted.map((row) => ({ ...row, isAccepted: true })),
  ...refused.map((row) => ({ ...row, isAccepted: false })),
];
