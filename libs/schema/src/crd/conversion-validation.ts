import { X509Certificate } from 'node:crypto';
import { field, isDNS1035Label, pemBlocks, type FieldError } from '@apichain/meta';
import type { CrdConversion } from './crd-types.ts';
import { webhookServiceErrors, webhookUrlErrors } from './webhook-client.ts';

const reviewVersions = ['v1', 'v1beta1'];

export interface ConversionOptions {
  /** False if the stored review versions are not recognized either, because an update is not refused for them. */
  readonly requireRecognizedReviewVersion: boolean;
  /** Whether an invalid caBundle is allowed: before a CRD is established, and if the stored bundle is invalid too. */
  readonly allowInvalidCaBundle: boolean;
}

/** spec.conversion: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/ */
export function validateConversion(
  errors: FieldError[],
  conversion: CrdConversion | undefined | null,
  path: string,
  options: ConversionOptions,
): void {
  if (conversion === undefined || conversion === null) return;
  errors.push(...strategyErrors(conversion.strategy ?? '', field.child(path, 'strategy')));
  const client = conversion.webhook?.clientConfig;
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  const clientPath = field.child(path, 'webhookClientConfig');
  const versionsPath = field.child(path, 'conversionReviewVersions');
  if (conversion.strategy === 'Webhook') {
    errors.push(...clientErrors(client, clientPath, options));
    reviewVersionErrors(errors, versions, versionsPath, options.requireRecognizedReviewVersion);
    return;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined && client !== null) errors.push(field.forbidden(clientPath, detail));
  if (versions.length > 0) errors.push(field.forbidden(versionsPath, detail));
}

export const hasRecognizedReviewVersion = (versions: readonly string[]): boolean =>
  versions.length === 0 || versions.some((v) => reviewVersions.includes(v));

function strategyErrors(strategy: string, path: string): FieldError[] {
  if (strategy === '') return [field.required(path)];
  return strategy === 'None' || strategy === 'Webhook' ? [] : [field.notSupported(path, strategy, ['None', 'Webhook'])];
}

type ClientConfig = NonNullable<NonNullable<CrdConversion['webhook']>['clientConfig']>;

function clientErrors(client: ClientConfig | undefined, path: string, options: ConversionOptions): FieldError[] {
  if (client === undefined || client === null)
    return [field.required(path, 'required when strategy is set to Webhook')];
  const errors: FieldError[] = [];
  const hasUrl = client.url !== undefined && client.url !== null;
  const hasService = client.service !== undefined && client.service !== null;
  if (hasUrl === hasService) errors.push(field.required(path, 'exactly one of url or service is required'));
  else if (client.url !== undefined && client.url !== null)
    errors.push(...webhookUrlErrors(client.url, field.child(path, 'url')));
  else if (client.service) errors.push(...webhookServiceErrors(client.service, field.child(path, 'service')));
  if (client.caBundle && !options.allowInvalidCaBundle) {
    const problem = caBundleProblem(client.caBundle);
    if (problem !== undefined) errors.push(field.invalid(field.child(path, 'caBundle'), client.caBundle, problem));
  }
  return errors;
}

/** Why a caBundle (base64 of PEM) cannot be used; undefined if it can. Other blocks are ignored if there is a valid certificate. */
export function caBundleProblem(caBundle: string): string | undefined {
  const blocks = [...pemBlocks(Buffer.from(caBundle, 'base64').toString('latin1'))];
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.some(({ bytes }) => isCertificate(bytes))) return undefined;
  const why =
    blocks.length === 0
      ? 'unable to parse bytes as PEM block'
      : certificates.length === 0
        ? 'no valid certificate authority data seen'
        : 'failed to parse certificate: x509: malformed certificate';
  return `unable to load root certificates: ${why}`;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length > 0;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

function reviewVersionErrors(
  errors: FieldError[],
  versions: readonly string[],
  path: string,
  requireRecognized: boolean,
): void {
  if (versions.length === 0) {
    errors.push(field.required(path));
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    const at = field.index(path, i);
    if (seen.has(version)) errors.push(field.invalid(at, version, 'duplicate version'));
    else for (const text of isDNS1035Label(version)) errors.push(field.invalid(at, version, text));
    seen.add(version);
  }
  if (requireRecognized && !hasRecognizedReviewVersion(versions))
    errors.push(field.invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
}
