import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@apichain/api/certificates/v1';
import { objectKey } from '@apichain/client';
import { formatGoTime } from '@apichain/go-text';
import { currentTimestamp, errorMessage } from '@apichain/meta';
import {
  readCertificateRequest,
  signCertificateRequest,
  type RequestedCertificate,
} from '@apichain/serving/certificates';
import type { ControllerContext, Running } from '../context.ts';
import { controllerParts } from '../controller-parts.ts';
import { certificateSigningRequests, requestText, waitsForSigner } from './request-state.ts';
import { signers } from './signers.ts';

/**
 * Signs approved requests of the signers of Kubernetes with the authority of the context, or lets them fail.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export function certificateSigning(context: ControllerContext): Running {
  const { client, signer, settings } = context;
  const { queue, informer, run } = controllerParts(context, 'certificatesigningrequest-signing-controller');
  if (signer === undefined) throw new Error('the controller that signs certificates needs an authority');
  const authorityEnds = new X509Certificate(signer.certificate).validToDate.getTime();
  const requests = informer(certificateSigningRequests);
  const enqueue = (request: CertificateSigningRequest) => {
    if (waitsForSigner(request)) queue.add(objectKey(request));
  };
  requests.addHandlers({ onAdd: enqueue, onUpdate: enqueue });

  async function reconcile(name: string): Promise<void> {
    const request = requests.get(name);
    if (request === undefined || !waitsForSigner(request)) return;
    const { signerName = '', usages = [] } = request.spec ?? {};
    const problemOf = signers.get(signerName);
    if (problemOf === undefined) return;
    const requested = await parsed(request);
    const problem = problemOf(requested, usages);
    const status =
      problem === undefined ? { certificate: await certificateFor(request) } : failedStatus(request, problem);
    await client.update<CertificateSigningRequest>(
      certificateSigningRequests,
      { ...request, status: { ...request.status, ...status } },
      { subresource: 'status' },
    );
  }

  async function certificateFor(request: CertificateSigningRequest): Promise<string> {
    const { usages = [], expirationSeconds } = request.spec ?? {};
    const { certificate, key } = signer ?? { certificate: '', key: '' };
    const durationMs = settings['cluster-signing-duration'];
    try {
      // Certificates are verified by the machine's clock, also where the API has a clock of its own.
      const validity = validityOf(Date.now(), expirationSeconds, { durationMs, authorityEnds });
      const policy = { ...validity, ...extensionsOf(usages) };
      const signed = await signCertificateRequest({ certificate, key }, requestText(request), policy);
      return Buffer.from(signed.endsWith('\n') ? signed : `${signed}\n`).toString('base64');
    } catch (error) {
      throw new Error(`error auto signing csr: ${errorMessage(error)}`);
    }
  }

  return run(reconcile);
}

const failedStatus = ({ status }: CertificateSigningRequest, message: string) => ({
  conditions: [
    ...(status?.conditions ?? []),
    { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, lastUpdateTime: currentTimestamp() },
  ],
});

/** The contents of a request. Throws Error that names the request if it cannot be parsed. */
export async function parsed(request: CertificateSigningRequest): Promise<RequestedCertificate> {
  try {
    return await readCertificateRequest(requestText(request));
  } catch (error) {
    throw new Error(`unable to parse csr ${JSON.stringify(request.metadata.name)}: ${errorMessage(error)}`);
  }
}

const minuteMs = 60_000;
const backdateMs = 5 * minuteMs;
/** The end of a certificate with a shorter life is not moved back with its beginning. */
const shortMs = 8 * 60 * minuteMs;
const shortestMs = 10 * minuteMs;

/** The authority that signs, and how long its certificates live at most. */
interface SignerLimits {
  readonly durationMs: number;
  /** When the certificate of the authority ends, in milliseconds since the epoch. */
  readonly authorityEnds: number;
}

/**
 * From when to when a certificate is valid that is signed now and was requested for some seconds, or for as long as possible. Throws Error when the
 * authority has expired.
 * Source: PermissiveSigningPolicy in k8s.io/kubernetes/pkg/controller/certificates/authority.
 */
export function validityOf(
  now: number,
  requestedSeconds: number | undefined,
  { durationMs, authorityEnds }: SignerLimits,
): { notBefore: Date; notAfter: Date } {
  if (now >= authorityEnds)
    throw new Error(
      `refusing to sign a certificate that expired in the past: NotAfter=${formatGoTime(authorityEnds / 1000)}`,
    );
  const requestedMs = requestedSeconds === undefined ? durationMs : Math.max(requestedSeconds * 1_000, shortestMs);
  const lifeMs = Math.min(requestedMs, durationMs);
  const end = now + (lifeMs < shortMs ? lifeMs : lifeMs - backdateMs);
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(Math.min(end, authorityEnds)) };
}

/** The bits of the key usage extension by the usages of the API. Source: RFC 5280, section 4.2.1.3. */
const keyUsageBits: ReadonlyMap<string, number> = new Map([
  ['signing', 1],
  ['digital signature', 1],
  ['content commitment', 2],
  ['key encipherment', 4],
  ['data encipherment', 8],
  ['key agreement', 16],
  ['cert sign', 32],
  ['crl sign', 64],
  ['encipher only', 128],
  ['decipher only', 256],
]);

/** The object identifiers of extended key usages by the usages of the API, in the order in which a certificate lists them. */
const extendedKeyUsageIds: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', '1.3.6.1.5.5.7.3.1'],
  ['client auth', '1.3.6.1.5.5.7.3.2'],
  ['code signing', '1.3.6.1.5.5.7.3.3'],
  ['email protection', '1.3.6.1.5.5.7.3.4'],
  ['s/mime', '1.3.6.1.5.5.7.3.4'],
  ['ipsec end system', '1.3.6.1.5.5.7.3.5'],
  ['ipsec tunnel', '1.3.6.1.5.5.7.3.6'],
  ['ipsec user', '1.3.6.1.5.5.7.3.7'],
  ['timestamping', '1.3.6.1.5.5.7.3.8'],
  ['ocsp signing', '1.3.6.1.5.5.7.3.9'],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]);

/** The extensions of a certificate for usages of the API. Throws Error for a usage that does not exist. */
export function extensionsOf(usages: readonly string[]): { keyUsage: number; extendedKeyUsages: string[] } {
  const unknown = usages.filter((usage) => !keyUsageBits.has(usage) && !extendedKeyUsageIds.has(usage));
  if (unknown.length > 0)
    throw new Error(`unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(' ')}]`);
  const ids = [...extendedKeyUsageIds].filter(([usage]) => usages.includes(usage)).map(([, id]) => id);
  return {
    keyUsage: usages.reduce((bits, usage) => bits | (keyUsageBits.get(usage) ?? 0), 0),
    extendedKeyUsages: [...new Set(ids)],
  };
}
