import { X509Certificate } from 'node:crypto';
import { field, isDNS1035Label, type FieldError, pemBlocks } from '@apichain/meta';
import type { CrdConversion } from './crd-types.ts';
import { webhookServiceErrors, webhookUrlErrors } from './webhook-client.ts';

const reviewVersions = ['v1', 'v1beta1'];

export interface ConversionOptions {
  /** An update may not be refused for review versions that were stored before. */
  readonly requireRecognizedReviewVersion: boolean;
  /** Before a CRD is established, and when the stored bundle was bad already, a bad caBundle passes. */
  readonly allowInvalidCaBundle: boolean;
}

/** spec.conversion: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/ */
export function validateConversion(
  conversion: CrdConversion | undefined | null,
  path: string,
  options: ConversionOptions,
): FieldError[] {
  if (conversion === undefined || conversion === null) return [];
  const errors = strategyErrors(conversion.strategy ?? '', field.child(path, 'strategy'));
  const client = conversion.webhook?.clientConfig;
  const versions = conversion.webhook?.conversionReviewVersions ?? [];
  const clientPath = field.child(path, 'webhookClientConfig');
  const versionsPath = field.child(path, 'conversionReviewVersions');
  if (conversion.strategy === 'Webhook') {
    errors.push(...clientErrors(client, clientPath, options));
    errors.push(...reviewVersionErrors(versions, versionsPath, options.requireRecognizedReviewVersion));
    return errors;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (client !== undefined && client !== null) errors.push(field.forbidden(clientPath, detail));
  if (versions.length > 0) errors.push(field.forbidden(versionsPath, detail));
  return errors;
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

/** Why a caBundle (base64 of PEM) cannot be used; undefined when it can. What is no certificate is passed over while one is. */
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

function reviewVersionErrors(versions: readonly string[], path: string, requireRecognized: boolean): FieldError[] {
  if (versions.length === 0) return [field.required(path)];
  const errors = versions.flatMap((version, i) => {
    const at = field.index(path, i);
    if (versions.indexOf(version) < i) return [field.invalid(at, version, 'duplicate version')];
    return isDNS1035Label(version).map((text) => field.invalid(at, version, text));
  });
  if (requireRecognized && !hasRecognizedReviewVersion(versions))
    errors.push(field.invalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  return errors;
}
