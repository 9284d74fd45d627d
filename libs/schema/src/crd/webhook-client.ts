import { field, isDNS1123Subdomain, isValidPortNum, type FieldError } from '@apichain/meta';
import { parseGoUrl } from '@apichain/go-text';

export interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string | null;
  readonly port?: number;
}

const form = '; desired format: https://host[/path]';

/** Why the URL of a webhook is invalid. After k8s.io/apiserver/pkg/util/webhook. */
export function webhookUrlErrors(url: string, path: string): FieldError[] {
  const parts = parseGoUrl(url);
  if ('error' in parts) return [field.required(path, `url must be a valid URL: ${parts.error}${form}`)];
  const { scheme, host, user, fragment, query } = parts;
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(field.invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  if (host === '') errors.push(field.invalid(path, host, `host must be specified${form}`));
  if (user !== undefined) errors.push(field.invalid(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(field.invalid(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(field.invalid(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

/** Why the Service of a webhook is invalid. */
export function webhookServiceErrors(service: WebhookService, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // kube-apiserver passes name and namespace in the wrong order, so the paths of these two errors are swapped.
  if (!service.namespace) errors.push(field.required(field.child(path, 'name')));
  if (!service.name) errors.push(field.required(field.child(path, 'namespace')));
  const port = service.port ?? 443;
  const portErrors = isValidPortNum(port);
  if (portErrors.length > 0)
    errors.push(field.invalid(field.child(path, 'port'), port, `port is not valid: ${portErrors.join(', ')}`));
  return [...errors, ...servicePathErrors(service.path, field.child(path, 'path'))];
}

function servicePathErrors(urlPath: string | undefined | null, at: string): FieldError[] {
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
