import type { SecureVersion } from 'node:tls';
import { goQuote } from '@apichain/go-text';
import type { HandshakeLimits } from '@apichain/serving';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ['', 'TLSv1.2'],
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** The suites of TLS 1.3 are not configurable: as in Go, they are enabled whatever the flag contains. */
const tls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** OpenSSL's names of the cipher suites that Go has. */
const suites: ReadonlyMap<string, string> = new Map([
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ...['ECDSA', 'RSA'].flatMap((by): [string, string][] => [
    [`TLS_ECDHE_${by}_WITH_AES_128_CBC_SHA`, `ECDHE-${by}-AES128-SHA`],
    [`TLS_ECDHE_${by}_WITH_AES_256_CBC_SHA`, `ECDHE-${by}-AES256-SHA`],
    [`TLS_ECDHE_${by}_WITH_AES_128_GCM_SHA256`, `ECDHE-${by}-AES128-GCM-SHA256`],
    [`TLS_ECDHE_${by}_WITH_AES_256_GCM_SHA384`, `ECDHE-${by}-AES256-GCM-SHA384`],
    [`TLS_ECDHE_${by}_WITH_CHACHA20_POLY1305`, `ECDHE-${by}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${by}_WITH_CHACHA20_POLY1305_SHA256`, `ECDHE-${by}-CHACHA20-POLY1305`],
  ]),
  ...tls13.map((name): [string, string] => [name, name]),
]);

/** OpenSSL's names of the key exchange groups, by their TLS numbers: https://www.iana.org/assignments/tls-parameters */
const curves: ReadonlyMap<string, string> = new Map([
  ['23', 'prime256v1'],
  ['24', 'secp384r1'],
  ['25', 'secp521r1'],
  ['29', 'X25519'],
  ['4587', 'SecP256r1MLKEM768'],
  ['4588', 'X25519MLKEM768'],
  ['4589', 'SecP384r1MLKEM1024'],
]);

/** `--tls-curve-preferences`; undefined = Node's default. */
function curvesOf(flags: ParsedFlags): string | undefined {
  const chosen = flags.strings('tls-curve-preferences').map((number) => {
    const known = curves.get(number);
    if (known === undefined)
      throw new FlagError(`curve preference ${number} is not supported by the current Node version`);
    return known;
  });
  return chosen.length === 0 ? undefined : chosen.join(':');
}

/**
 * `--tls-min-version`, `--tls-cipher-suites` and `--tls-curve-preferences`. Throws FlagError, with the text of kube-apiserver, for unknown values.
 */
export function handshakeOf(flags: ParsedFlags): HandshakeLimits {
  const name = flags.string('tls-min-version');
  const minVersion = versions.get(name);
  if (minVersion === undefined) throw new FlagError(`unknown tls version ${goQuote(name)}`);
  const chosen = flags.strings('tls-cipher-suites').map((suite) => {
    const known = suites.get(suite);
    if (known === undefined) throw new FlagError(`Cipher suite ${suite} not supported or doesn't exist`);
    return known;
  });
  const ecdhCurve = curvesOf(flags);
  const limits = { minVersion, ecdhCurve };
  if (chosen.length === 0) return limits;
  return { ...limits, ciphers: [...new Set([...chosen, ...tls13])].join(':') };
}
