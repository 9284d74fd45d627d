import { extensions, generalNames } from './certificate.fixture.ts';
import { constrained, withIssuer, type ChainCase } from './case-parts.fixture.ts';
import { der } from './der-writer.fixture.ts';

const { nameConstraints } = extensions;
const { dns, email, ip, uri } = generalNames;
const registeredId = der(0x88, Buffer.from([0x2a]));
const ipv6 = (...lastBytes: readonly number[]): readonly number[] => [
  ...Array.from({ length: 16 - lastBytes.length }, () => 0),
  ...lastBytes,
];
const mapped = (...address: readonly number[]): readonly number[] => ipv6(0xff, 0xff, ...address);
const manyNames = Array.from({ length: 3_000 }, (_, number) => dns(`n${number}.a.example`));

/** Chains with name constraints, after every rule that Go's verifier has. */
export const constraintCases: readonly ChainCase[] = [
  {
    name: 'three thousand names that are permitted',
    isAccepted: true,
    certificates: constrained([dns('a.example')], [dns('b.example')], ...manyNames),
  },
  { name: 'an empty DNS constraint', isAccepted: true, certificates: constrained([dns('')], [], dns('a.example')) },
  { name: 'every DNS name excluded', isAccepted: false, certificates: constrained([], [dns('')], dns('a.example')) },
  {
    name: 'an empty DNS name under a constraint',
    isAccepted: false,
    certificates: constrained([dns('a.example')], [], dns('')),
  },
  {
    name: 'a DNS name with a dot at its end under a constraint',
    isAccepted: false,
    certificates: constrained([dns('a.example')], [], dns('a.example.')),
  },
  {
    name: 'a wildcard below a permitted name',
    isAccepted: true,
    certificates: constrained([dns('a.example')], [], dns('*.a.example')),
  },
  {
    name: 'a wildcard over a permitted name',
    isAccepted: false,
    certificates: constrained([dns('b.a.example')], [], dns('*.a.example')),
  },
  {
    name: 'a wildcard over an excluded host of URIs',
    isAccepted: false,
    certificates: constrained([], [uri('b.a.example')], uri('https://*.a.example/')),
  },
  {
    name: 'a wildcard over an excluded domain of email addresses',
    isAccepted: false,
    certificates: constrained([], [email('b.a.example')], email('j@*.a.example')),
  },
  {
    name: 'an email constraint with a leading dot',
    isAccepted: true,
    certificates: constrained([email('.a.example')], [], email('j@x.a.example')),
  },
  {
    name: 'an email address in the domain itself under it',
    isAccepted: false,
    certificates: constrained([email('.a.example')], [], email('j@a.example')),
  },
  {
    name: 'an excluded email address',
    isAccepted: false,
    certificates: constrained([], [email('j@a.example')], email('j@A.example')),
  },
  {
    name: 'an email address in another case of the local part',
    isAccepted: true,
    certificates: constrained([], [email('j@a.example')], email('J@a.example')),
  },
  {
    name: 'an email address that is none',
    isAccepted: false,
    certificates: constrained([], [email('a.example')], email('nobody')),
  },
  {
    name: 'a URI without a host under a constraint',
    isAccepted: false,
    certificates: constrained([], [uri('a.example')], uri('urn:x')),
  },
  {
    name: 'every IP address excluded',
    isAccepted: false,
    certificates: constrained([], [ip(0, 0, 0, 0, 0, 0, 0, 0)], ip(10, 0, 0, 1)),
  },
  {
    name: 'an IPv6 constraint',
    isAccepted: true,
    certificates: constrained([ip(...ipv6(), ...ipv6())], [], ip(...ipv6(1))),
  },
  {
    name: 'an IPv6 address where IPv4 addresses are permitted',
    isAccepted: false,
    certificates: constrained([ip(10, 0, 0, 0, 255, 0, 0, 0)], [], ip(...ipv6(1))),
  },
  {
    name: 'an IPv4 address in the form of IPv6 where it is permitted',
    isAccepted: false,
    certificates: constrained([ip(10, 0, 0, 0, 255, 0, 0, 0)], [], ip(...mapped(10, 1, 2, 3))),
  },
  {
    name: 'an IPv4 address in the form of IPv6 where it is excluded',
    isAccepted: true,
    certificates: constrained([], [ip(10, 0, 0, 0, 255, 0, 0, 0)], ip(...mapped(10, 1, 2, 3))),
  },
  {
    name: 'a constraint with holes in its mask',
    isAccepted: false,
    certificates: constrained([ip(10, 0, 0, 0, 255, 0, 255, 0)], [], ip(10, 1, 0, 3)),
  },
  { name: 'no constraint in the extension', isAccepted: false, certificates: withIssuer(nameConstraints([])) },
  {
    name: 'a critical constraint of another kind',
    isAccepted: false,
    certificates: withIssuer(nameConstraints([registeredId])),
  },
  {
    name: 'a constraint of another kind',
    isAccepted: true,
    certificates: withIssuer(nameConstraints([registeredId], [], false)),
  },
];
