import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../servers/parallel.ts';
import type { Client, Request } from './client.ts';

const namespacePattern = /^\/api\/v1\/namespaces\/[^/]+$/;
/** How long a namespace controller may take to start its work. */
const controllerWaitMs = 5_000;
const pollMs = 250;
const json = { accept: 'application/json', 'content-type': 'application/json' };

/**
 * Deletes the objects that a client created on its server, latest first, regardless of finalizers and grace periods. Namespaces are removed
 * by the server's namespace controller. If none runs, they are finalized here once they are empty. Returns the remaining paths.
 */
export async function cleanUp(client: Client): Promise<string[]> {
  const created = [...client.created].reverse();
  const namespaces = created.filter((path) => namespacePattern.test(path));
  const others = created.filter((path) => !namespacePattern.test(path));
  // Admission configuration could reject the deletion of the other objects.
  const admission = others.filter((path) => path.startsWith('/apis/admissionregistration.k8s.io/'));
  await inParallel(admission, (path) => remove(client, path));
  await inParallel(others, (path) => remove(client, path));
  await inParallel(namespaces, (path) => remove(client, path));
  await endNamespaces(client, namespaces);
  const left: string[] = [];
  await inParallel(created, async (path) => {
    if ((await client.send(get(path))).status === 200) left.push(path);
  });
  return left;
}

const get = (path: string): Request => ({ method: 'GET', path, headers: { accept: 'application/json' } });

async function remove(client: Client, path: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 });
  const { status } = await client.send({ method: 'DELETE', path, headers: json, body });
  if (status === 404 || namespacePattern.test(path)) return;
  if ((await client.send(get(path))).status !== 200) return;
  const headers = { ...json, 'content-type': 'application/merge-patch+json' };
  await client.send({ method: 'PATCH', path, headers, body: '{"metadata":{"finalizers":null}}' });
}

async function endNamespaces(client: Client, namespaces: readonly string[]): Promise<void> {
  const deadline = Date.now() + controllerWaitMs;
  let left = await existing(client, namespaces);
  let isControlled = left.length < namespaces.length;
  while (left.length > 0 && (isControlled || Date.now() < deadline)) {
    await sleep(pollMs);
    const now = await existing(client, left);
    if (now.length === left.length && isControlled && Date.now() > deadline + 10 * controllerWaitMs) break;
    isControlled ||= now.length < left.length;
    left = now;
  }
  if (isControlled) return;
  await inParallel(left, async (path) => {
    const { body } = await client.send(get(path));
    const finalized = { ...(body as Record<string, unknown>), spec: { finalizers: [] } };
    await client.send({ method: 'PUT', path: `${path}/finalize`, headers: json, body: JSON.stringify(finalized) });
  });
}

async function existing(client: Client, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await inParallel(paths, async (path) => {
    if ((await client.send(get(path))).status === 200) found.push(path);
  });
  return found;
}
