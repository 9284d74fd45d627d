import type { Step } from '../scenario.ts';

/** Helpers that create the steps of scenarios. Each takes the step's name first. */
type More = Partial<Omit<Step, 'name' | 'method' | 'path' | 'body'>>;

export const get = (name: string, path: string, more: More = {}): Step => ({ name, method: 'GET', path, ...more });

export const post = (name: string, path: string, body: unknown, more: More = {}): Step => ({
  ...{ name, method: 'POST', path, body },
  ...more,
});

export const put = (name: string, path: string, body: unknown, more: More = {}): Step => ({
  ...{ name, method: 'PUT', path, body },
  ...more,
});

/** A merge patch, unless the headers specify another content type. */
export const patch = (name: string, path: string, body: unknown, more: More = {}): Step => ({
  ...{ name, method: 'PATCH', path, body },
  ...more,
});

export const remove = (name: string, path: string, more: More & { readonly body?: unknown } = {}): Step => ({
  ...{ name, method: 'DELETE', path },
  ...more,
});

/** The last review that the webhook at a path received. */
export const received = (name: string, webhook: string): Step => ({
  ...{ name, method: 'RECEIVED', path: `{{webhook}}/${webhook}` },
  select: (body) => (Array.isArray(body) ? (body as unknown[]).at(-1) : body),
});

/** Server-side apply by a field manager. */
export const apply = (
  name: string,
  path: string,
  manager: string,
  body: unknown,
  query: Record<string, string> = {},
): Step => ({
  ...{ name, method: 'PATCH', path, body, query: { fieldManager: manager, ...query } },
  headers: { 'content-type': 'application/apply-patch+yaml' },
});

export const jsonPatch = { headers: { 'content-type': 'application/json-patch+json' } };
export const strategicPatch = { headers: { 'content-type': 'application/strategic-merge-patch+json' } };
export const mergePatch = { headers: { 'content-type': 'application/merge-patch+json' } };
export const asTable = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };

export const configMaps = '/api/v1/namespaces/{{ns}}/configmaps';

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

/** Posts the bodies one after the other. `more` contains the common parts of the steps. */
export const posts = (
  path: string,
  bodies: readonly (readonly [string, unknown])[],
  more: Partial<Step> = {},
): Step[] => bodies.map(([name, body]) => ({ ...post(name, path, body), ...more }));
