import { parseTime } from '@apichain/go-text';
import { currentTime, isStatusError, type KubeObject } from '@apichain/meta';
import { isSameSecret } from './secrets.ts';
import type { TokenObjects } from './service-account/object-lookup.ts';
import type { AuthenticatedToken, TokenAuthenticator } from './token.ts';

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const defaultGroup = 'system:bootstrappers';

/**
 * `--enable-bootstrap-token-auth`: tokens in Secrets of kube-system, for nodes that join. A token whose Secret is malformed is not authenticated.
 * https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/
 */
export class BootstrapTokenAuthenticator implements TokenAuthenticator {
  readonly #objects: TokenObjects;

  constructor(objects: TokenObjects) {
    this.#objects = objects;
  }

  async authenticateToken(token: string): Promise<AuthenticatedToken | undefined> {
    const [, id = '', secret = ''] = form.exec(token) ?? [];
    if (id === '') return undefined;
    const object = await this.#secret(`bootstrap-token-${id}`);
    if (object === undefined) return undefined;
    const data = dataOf(object);
    const groups = groupsOf(data('auth-extra-groups'));
    const isGood =
      object.metadata.deletionTimestamp === undefined &&
      object['type'] === 'bootstrap.kubernetes.io/token' &&
      isSameSecret(data('token-secret'), secret) &&
      data('token-id') === id &&
      !hasExpired(data('expiration')) &&
      data('usage-bootstrap-authentication') === 'true';
    if (!isGood || groups === undefined) return undefined;
    const expiresAt = Date.parse(data('expiration'));
    return {
      user: { name: `system:bootstrap:${id}`, uid: '', groups, extra: {} },
      ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
    };
  }

  async #secret(name: string): Promise<KubeObject | undefined> {
    try {
      return await this.#objects.get('secrets', 'kube-system', name);
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

function dataOf(secret: KubeObject): (name: string) => string {
  const data = (secret['data'] ?? {}) as Readonly<Record<string, unknown>>;
  return (name) => {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
}

/** An empty expiration never expires. One that cannot be parsed counts as expired. */
function hasExpired(expiration: string): boolean {
  if (expiration === '') return false;
  const microseconds = parseTime(expiration);
  return microseconds === undefined || Number(microseconds) / 1000 <= currentTime();
}

/** Sorted. Undefined = a group is not allowed for bootstrap tokens. */
function groupsOf(extra: string): string[] | undefined {
  const groups = new Set([defaultGroup]);
  if (extra === '') return [...groups];
  for (const group of extra.split(',')) {
    if (!extraGroup.test(group)) return undefined;
    groups.add(group);
  }
  return [...groups].toSorted();
}
