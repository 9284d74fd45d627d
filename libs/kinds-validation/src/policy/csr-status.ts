import { X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '@apichain/api/certificates/v1';
import { field, pemBlocks, type FieldError } from '@apichain/meta';

/* After pkg/apis/certificates/validation of kubernetes 1.36. */

const ofType = (object: CertificateSigningRequest, type: string): CertificateSigningRequestCondition[] =>
  (object.status?.conditions ?? []).filter((c) => c.type === type);

/** Conditions of decisions cannot be removed, and only those in `mayAdd` can be added. Errors about removed ones come first. */
function conditionErrors(
  csr: CertificateSigningRequest,
  old: CertificateSigningRequest,
  mayAdd: readonly string[],
): FieldError[] {
  const forbidden = (verb: string) => (type: string) =>
    field.forbidden('status.conditions', `updates may not ${verb} a condition of type ${JSON.stringify(type)}`);
  const growth = (type: string): number => ofType(csr, type).length - ofType(old, type).length;
  const types = ['Approved', 'Denied', 'Failed'];
  const removed = types.filter((type) => growth(type) < 0);
  const added = types.filter((type) => growth(type) > 0 && !mayAdd.includes(type));
  return [...removed.map(forbidden('remove')), ...added.map(forbidden('add'))];
}

const decisions = new Set(['Approved', 'Denied', 'Failed']);

/** Approved, Denied and Failed can only be True, and Approved and Denied exclude each other. Stored violations are accepted. */
function decisionErrors(csr: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const path = 'status.conditions';
  const both = (object: CertificateSigningRequest) =>
    ofType(object, 'Approved').length > 0 && ofType(object, 'Denied').length > 0;
  const mayHaveBoth = both(old);
  const stored = (old.status?.conditions ?? []).map((condition) => condition.type ?? '');
  const mayRepeat = new Set(stored).size < stored.length;
  const seen = new Set<string>();
  return field.collectEach(csr.status?.conditions ?? [], (condition, i) => {
    const errors: FieldError[] = [];
    const type = condition.type ?? '';
    const status = condition.status ?? '';
    const allowed = decisions.has(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (type === '') errors.push(field.required(`${path}[${i}].type`));
    if (status === '') errors.push(field.required(`${path}[${i}].status`));
    else if (!allowed.includes(status)) errors.push(field.notSupported(`${path}[${i}].status`, status, allowed));
    const opposite = { Approved: 'Denied', Denied: 'Approved' }[type];
    if (!mayHaveBoth && opposite !== undefined && seen.has(opposite)) {
      errors.push(field.invalid(path, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (!mayRepeat && seen.has(type)) errors.push(field.duplicate(`${path}[${i}].type`, type));
    seen.add(type);
    return errors;
  });
}

/** The problem of issued certificates, which must be CERTIFICATE blocks without headers, at least one; undefined when valid. */
function issuedProblem(pem: string): string | undefined {
  const blocks = [...pemBlocks(pem)];
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch {
    return false;
  }
}

function certificateErrors(csr: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  const issued = certificate(csr);
  if (issued === '' || issued === certificate(old)) return [];
  const problem = issuedProblem(Buffer.from(issued, 'base64').toString('latin1'));
  return problem === undefined ? [] : [field.invalid('status.certificate', '<certificate data>', problem)];
}

/** An issued certificate can be neither replaced nor removed. */
function reissueErrors(csr: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  if (certificate(old) === '' || certificate(csr) === certificate(old)) return [];
  return [field.forbidden('status.certificate', 'updates may not modify existing certificate content')];
}

const certificate = (csr: CertificateSigningRequest): string => csr.status?.certificate ?? '';

/** Checks writes of signers: the issued certificate, or the failure. Decisions cannot change. */
export const validateSigningRequestStatus = (
  csr: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] => [
  ...decisionErrors(csr, old),
  ...certificateErrors(csr, old),
  ...conditionErrors(csr, old, ['Failed']),
  ...reissueErrors(csr, old),
];

/** Checks writes of approvers: their decision. */
export const validateSigningRequestApproval = (
  csr: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] => [...decisionErrors(csr, old), ...conditionErrors(csr, old, ['Approved', 'Denied', 'Failed'])];
