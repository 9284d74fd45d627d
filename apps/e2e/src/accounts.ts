import assert from 'node:assert/strict';
import type { Plain } from '@apichain/meta';
import type { Chain } from './chain.ts';
import { type HttpResponse, call } from './http.ts';

export const rbac = '/apis/rbac.authorization.k8s.io/v1';
/** The namespace of the accounts. */
export const namespace = 'team';

/** One chain with service accounts in its namespace `team`. The accounts have only the rights of the rules that a test grants. */
export class Accounts {
  readonly #chain: () => Chain;

  constructor(chain: () => Chain) {
    this.#chain = chain;
  }

  /** Creates an object as the administrator. */
  async make(path: string, object: Plain): Promise<HttpResponse> {
    const made = await call(this.#chain(), 'POST', path, { body: JSON.stringify(object) });
    assert.equal(made.status, 201, `${path}: ${made.text}`);
    return made;
  }

  async account(name: string, ...rules: Plain[]): Promise<Account> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await this.make(accounts, { metadata: { name } });
    const review = await this.make(`${accounts}/${name}/token`, { spec: {} });
    const { token } = review.json<{ status: { token: string } }>().status;
    await this.grant(name, ...rules);
    return new Account(this.#chain, token);
  }

  async grant(name: string, ...rules: Plain[]): Promise<void> {
    if (rules.length === 0) return;
    const role = `${name}-${Math.random().toString(36).slice(2, 8)}`;
    await this.make(`${rbac}/clusterroles`, { metadata: { name: role }, rules });
    await this.make(`${rbac}/clusterrolebindings`, {
      metadata: { name: role },
      subjects: [{ kind: 'ServiceAccount', namespace, name }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    });
  }
}

export class Account {
  readonly #chain: () => Chain;
  readonly token: string;

  constructor(chain: () => Chain, token: string) {
    this.#chain = chain;
    this.token = token;
  }

  send(
    method: string,
    path: string,
    body?: Plain,
    headers: Record<string, string> = {},
    url?: string,
  ): Promise<HttpResponse> {
    const chain = this.#chain();
    return call(url === undefined ? chain : { ...chain, url }, method, path, {
      admin: false,
      headers: { authorization: `Bearer ${this.token}`, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  apply(directory: string, object: Plain & { metadata: Plain }, url?: string): Promise<HttpResponse> {
    const path = `${directory}/${String(object.metadata['name'])}?fieldManager=rights&force=true`;
    return this.send('PATCH', path, object, { 'content-type': 'application/apply-patch+yaml' }, url);
  }
}
