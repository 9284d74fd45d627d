import { goQuote } from '@apichain/go-text';
import { FlagError } from './flag.ts';

/** One value of `--tls-sni-cert-key`: the files, and their host names. */
interface NamedCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty = those in the certificate. */
  readonly names: readonly string[];
}

/** `cert.pem,key.pem` or `cert.pem,key.pem:example.com,*.example.com`. Throws FlagError. */
export function parseNamedCertKey(text: string): NamedCertKey {
  const refuse = (why: string) =>
    new FlagError(`invalid argument ${goQuote(text)} for "--tls-sni-cert-key" flag: ${why}`);
  const colon = text.indexOf(':');
  const files = (colon < 0 ? text : text.slice(0, colon)).split(',').map((file) => file.trim());
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === '') throw refuse('empty names list is not allowed');
  const [certFile = '', keyFile = ''] = files;
  if (files.length !== 2) throw refuse('expected comma separated certificate and key file paths');
  return { certFile, keyFile, names: names?.split(',').map((name) => name.trim()) ?? [] };
}
