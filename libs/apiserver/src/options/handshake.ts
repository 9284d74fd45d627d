import type { SecureVersion } from 'node:tls';
import { goQuote } from '@apichain/meta';
import type { HandshakeLimits } from '../listener.ts';
import { FlagError } from './flag.ts';
import type { ParsedFlags } from './parse-flags.ts';

const versions: ReadonlyMap<string, SecureVersion> = new Map([
  ['', 'TLSv1.2'],
  ['VersionTLS10', 'TLSv1'],
  ['VersionTLS11', 'TLSv1.1'],
  ['VersionTLS12', 'TLSv1.2'],
  ['VersionTLS13', 'TLSv1.3'],
]);

/** Those of TLS 1.3 are not for choice: as in Go they are there whatever the flag says. */
const tls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** What OpenSSL calls the cipher suites that Go has. */
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

/** `--tls-min-version` and `--tls-cipher-suites`. Throws FlagError, in the words of kube-apiserver, for what there is not. */
export function handshakeOf(flags: ParsedFlags): HandshakeLimits {
  const name = flags.string('tls-min-version');
  const minVersion = versions.get(name);
  if (minVersion === undefined) throw new FlagError(`unknown tls version ${goQuote(name)}`);
  const chosen = flags.strings('tls-cipher-suites').map((suite) => {
    const known = suites.get(suite);
    if (known === undefined) throw new FlagError(`Cipher suite ${suite} not supported or doesn't exist`);
    return known;
  });
  if (chosen.length === 0) return { minVersion };
  return { minVersion, ciphers: [...new Set([...chosen, ...tls13])].join(':') };
}
