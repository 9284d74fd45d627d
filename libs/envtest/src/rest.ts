import https from 'node:https';
import { parseJson, stringifyJson } from '@apichain/meta';

/** The address of an API server and the client's credentials. */
export interface RestConfig {
  /** `https://host:port`. */
  server: string;
  /** PEM texts: the CA of the server's certificate, the client's certificate and its key. */
  caPem: string;
  certPem: string;
  keyPem: string;
}

/** A decoded document of any shape. The type is that of envtest-js, so that its users need not narrow what they read. */
export type AnyJson = ReturnType<typeof JSON.parse>;

/** A response to `restRequest` with its complete body. */
export interface RestResponse {
  status: number;
  text: string;
  /** The decoded body, if the response is JSON. */
  json?: AnyJson;
}

/** Sends one request and returns the response, whatever its status. Rejects when there is no response. */
export function restRequest(
  config: RestConfig,
  method: string,
  apiPath: string,
  body?: unknown,
): Promise<RestResponse> {
  const { server, caPem: ca, certPem: cert, keyPem: key } = config;
  const content = body === undefined ? undefined : Buffer.from(stringifyJson(body));
  const headers = {
    accept: 'application/json',
    ...(content === undefined
      ? {}
      : {
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
          'content-length': content.length,
        }),
  };
  return new Promise((resolve, reject) => {
    const request = https.request(
      new URL(apiPath, server),
      { method, headers, ca, cert, key, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '');
          const json: unknown = isJson ? parseJson(text) : undefined;
          resolve({ status: response.statusCode ?? 0, text, ...(isJson ? { json } : {}) });
        });
      },
    );
    request.on('error', reject);
    request.end(content);
  });
}

/** Like restRequest, but throws Error for a response that is not 2xx. */
export async function restRequestOk(
  config: RestConfig,
  method: string,
  apiPath: string,
  body?: unknown,
): Promise<RestResponse> {
  const response = await restRequest(config, method, apiPath, body);
  if (response.status < 200 || response.status > 299)
    throw new Error(`${method} ${apiPath}: ${response.status} ${response.text}`);
  return response;
}

interface Named {
  metadata: { name: string; resourceVersion?: string };
}

/** Creates an object of a cluster-scoped resource, or replaces the existing one. Throws Error when the server rejects the object. */
export async function createOrReplace(config: RestConfig, collection: string, object: Named): Promise<void> {
  const path = `${collection}/${encodeURIComponent(object.metadata.name)}`;
  const present = await restRequest(config, 'GET', path);
  if (present.status === 404) {
    await restRequestOk(config, 'POST', collection, object);
    return;
  }
  const { resourceVersion } = (present.json as Named).metadata;
  await restRequestOk(config, 'PUT', path, { ...object, metadata: { ...object.metadata, resourceVersion } });
}

/** Deletes an object if it exists. Returns whether it existed. Throws Error when the server rejects the request. */
export async function deleteIfThere(config: RestConfig, path: string): Promise<boolean> {
  const { status, text } = await restRequest(config, 'DELETE', path);
  if (status === 404) return false;
  if (status > 299) throw new Error(`DELETE ${path}: ${status} ${text}`);
  return true;
}
