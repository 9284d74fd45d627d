import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificatePair } from './certificate.ts';

/** Where a certificate and its private key are: PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The files of a certificate in a folder: `NAME.crt` and `NAME.key`. */
export const certificateFiles = (directory: string, name: string): CertificateFiles => ({
  certFile: join(directory, `${name}.crt`),
  keyFile: join(directory, `${name}.key`),
});

/** Throws Node's error for a file that cannot be read. */
export const readCertificatePair = ({ certFile, keyFile }: CertificateFiles): CertificatePair => ({
  certificate: readFileSync(certFile, 'utf8'),
  key: readFileSync(keyFile, 'utf8'),
});
