import type { CertificateSigningRequest, CertificateSigningRequestSpec } from '@apichain/api/certificates/v1';
import { certificateRequestProblem } from '@apichain/authn';
import { field, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { signerName } from '../common/formats.ts';
import { checkEach, collect, repeats, type Out } from '../common/rules.ts';

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const shortestExpiration = 600;

function requestErrors(out: Out, value: string | null | undefined): void {
  const problem = certificateRequestProblem(Buffer.from(value ?? '', 'base64').toString('latin1'));
  if (problem !== undefined) out.push(field.invalid('spec.request', isSet(value) ? value : null, problem));
}

function usageErrors(out: Out, spec: CertificateSigningRequestSpec): void {
  const given = spec.usages ?? [];
  if (given.length === 0) out.push(field.required('spec.usages'));
  checkEach(out, given, (out, usage, i) => {
    if (!usages.includes(usage)) out.push(field.notSupported(`spec.usages[${i}]`, usage, usages));
  });
  checkEach(out, repeats(given), (out, [i, usage]) => out.push(field.duplicate(`spec.usages[${i}]`, usage)));
}

/** https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/ */
export function validateSigningRequest(csr: CertificateSigningRequest): FieldError[] {
  return collect((out) => {
    const spec = csr.spec ?? {};
    requestErrors(out, spec.request);
    usageErrors(out, spec);
    if (spec.signerName === 'kubernetes.io/legacy-unknown') {
      const detail = 'the legacy signerName is not allowed via this API version';
      out.push(field.invalid('spec.signerName', spec.signerName, detail));
    } else signerName(out, 'spec.signerName', spec.signerName);
    if (isSet(spec.expirationSeconds) && (spec.expirationSeconds ?? 0) < shortestExpiration) {
      const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
      out.push(field.invalid('spec.expirationSeconds', spec.expirationSeconds, detail));
    }
  });
}
