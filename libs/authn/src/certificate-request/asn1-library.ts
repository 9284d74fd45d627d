import { createRequire } from 'node:module';
import { lazy } from '@apichain/meta';
import type * as Requests from '@peculiar/asn1-csr';
import type * as Schema from '@peculiar/asn1-schema';
import type * as Asn1 from 'asn1js';

const require = createRequire(import.meta.url);

interface Asn1Library {
  readonly fromBER: typeof Asn1.fromBER;
  readonly AsnParser: typeof Schema.AsnParser;
  readonly AsnConvert: typeof Schema.AsnConvert;
  readonly CertificationRequest: typeof Requests.CertificationRequest;
}

/**
 * The parser of certificate requests in @peculiar/x509, loaded with the first request for a certificate. The whole package is not loaded: it adds
 * reflect-metadata to every process, takes twice the time, and its signature check supports fewer curves than Node.
 */
export const asn1Library = lazy((): Asn1Library => ({
  ...(require('asn1js') as Pick<typeof Asn1, 'fromBER'>),
  ...(require('@peculiar/asn1-schema') as Pick<typeof Schema, 'AsnParser' | 'AsnConvert'>),
  ...(require('@peculiar/asn1-csr') as Pick<typeof Requests, 'CertificationRequest'>),
}));
