import { X509Certificate } from 'node:crypto';
import { errorMessage, pemBlocks } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

/** Checks that a text contains certificates in PEM and nothing secret. Throws RegistrationError. */
export function checkCaBundle(text: string): void {
  const blocks = [...pemBlocks(text)];
  if (blocks.some(({ type }) => type.endsWith('PRIVATE KEY')))
    throw new RegistrationError('it contains a private key, which must not be published');
  if (blocks.length === 0 || blocks.some(({ type }) => type !== 'CERTIFICATE'))
    throw new RegistrationError('it does not contain certificates in PEM format');
  for (const { bytes } of blocks)
    try {
      new X509Certificate(bytes);
    } catch (error) {
      throw new RegistrationError(`it contains an invalid certificate: ${errorMessage(error)}`);
    }
}
