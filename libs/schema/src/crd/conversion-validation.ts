import { X509Certificate } from 'node:crypto';
import { field, isDNS1035Label, isDNS1123Subdomain, isValidPortNum, type FieldError } from '@apichain/meta';
import type { CrdConversion } from './crd-types.ts';

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

/** Why a caBundle (base64 of PEM) cannot be used; undefined when it can. */
export function caBundleProblem(caBundle: string): string | undefined {
  const blocks =
    Buffer.from(caBundle, 'base64')
      .toString('latin1')
      .match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return 'unable to load root certificates: unable to parse bytes as PEM block';
  try {
    for (const block of blocks) void new X509Certificate(block).subject;
    return undefined;
  } catch (error) {
    return `unable to load root certificates: ${error instanceof Error ? error.message : String(error)}`;
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

function webhookUrlErrors(url: string, path: string): FieldError[] {
  const form = '; desired format: https://host[/path]';
  const parts =
    /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url);
  if (parts === null || /[\u0000-\u001f\u007f]/.test(url))
    return [field.required(path, `url must be a valid URL: parse ${JSON.stringify(url)}: invalid URL${form}`)];
  const [, scheme = '', user, host = '', , query = '', fragment = ''] = parts;
  const errors: FieldError[] = [];
  if (scheme.toLowerCase() !== 'https')
    errors.push(field.invalid(path, scheme.toLowerCase(), `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(field.invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(field.invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(field.invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(field.invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function webhookServiceErrors(service: NonNullable<ClientConfig['service']>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // The real server hands name and namespace over in the wrong order, so the paths of these two are swapped.
  if (!service.namespace) errors.push(field.required(field.child(path, 'name')));
  if (!service.name) errors.push(field.required(field.child(path, 'namespace')));
  const port = service.port ?? 443;
  const portErrors = isValidPortNum(port);
  if (portErrors.length > 0)
    errors.push(field.invalid(field.child(path, 'port'), port, `port is not valid: ${portErrors.join(',')}`));
  return [...errors, ...webhookPathErrors(service.path, field.child(path, 'path'))];
}

function webhookPathErrors(urlPath: string | undefined | null, at: string): FieldError[] {
  if (urlPath === undefined || urlPath === null || urlPath === '/' || urlPath === '') return [];
  const invalid = (detail: string) => field.invalid(at, urlPath, detail);
  if (urlPath === '//') return [invalid('segment[0] may not be empty')];
  const errors = urlPath.startsWith('/') ? [] : [invalid("must start with a '/'")];
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  for (const [i, segment] of segments.entries()) {
    if (segment === '') errors.push(invalid(`segment[${i}] may not be empty`));
    else for (const text of isDNS1123Subdomain(segment)) errors.push(invalid(`segment[${i}]: ${text}`));
  }
  return errors;
}
