import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isStatusError, kinds, loadKubeconfig, newClient, type RestClient } from 'apichain/client';
import { startControlPlane } from './control-plane.ts';
import { Widget } from './resources/widget.ts';

const newObject = (name: string, owner: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { owner },
});

const directory = mkdtempSync(join(tmpdir(), 'my-project-'));
let controlPlane: Awaited<ReturnType<typeof startControlPlane>>;
let client: RestClient;

before(async () => {
  controlPlane = await startControlPlane({ directory, port: 0, memory: true });
  const file = join(directory, 'admin.kubeconfig');
  writeFileSync(file, controlPlane.kubeconfig, { mode: 0o600 });
  client = newClient(loadKubeconfig(file));
});
after(async () => {
  await client.close();
  await controlPlane.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Waits until `read` returns something that is accepted. An object that does not exist is undefined. */
async function eventually<T>(read: () => Promise<T>, accept: (value: T | undefined) => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; await new Promise((done) => setTimeout(done, 10))) {
    const value = await read().catch((error: unknown) => {
      if (!isStatusError(error, 'NotFound')) throw error;
      return undefined;
    });
    if (accept(value)) return;
    assert.ok(Date.now() < deadline, 'not within 10 s');
  }
}

const ready = (name: string) =>
  eventually(
    () => client.get(Widget, name),
    (found) => found?.status?.ready === true && found.status.observedGeneration === found.metadata.generation,
  );

/** Whether the user may create ConfigMaps in the namespace. */
async function isAllowed(user: string, namespace: string): Promise<boolean> {
  const reviews = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };
  const { status } = await client.create(reviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: { user, resourceAttributes: { namespace, verb: 'create', resource: 'configmaps' } },
  });
  return (status as { allowed: boolean }).allowed;
}

test('a Widget gets a namespace, which its owner may use', async () => {
  await client.create(Widget, newObject('blue', 'jane'));
  await ready('blue');
  await client.get(kinds.Namespace, 'blue');
  await eventually(
    () => isAllowed('jane', 'blue'),
    (allowed) => allowed === true,
  );
  assert.equal(await isAllowed('joe', 'blue'), false);
  assert.equal(await isAllowed('jane', 'default'), false);
});

test('the namespace follows the Widget', async () => {
  await client.create(Widget, newObject('green', 'jane'));
  await client.patch(Widget, 'green', 'merge', { spec: { owner: 'joe' } });
  await ready('green');
  await eventually(
    () => isAllowed('joe', 'green'),
    (allowed) => allowed === true,
  );
});

test('a Widget that is deleted takes its namespace along', async () => {
  await client.create(Widget, newObject('gray', 'jane'));
  await ready('gray');
  await client.delete(Widget, 'gray');
  await eventually(
    () => client.get(kinds.Namespace, 'gray'),
    (found) => found === undefined,
  );
});

test('a Widget has an owner', async () => {
  await assert.rejects(client.create(Widget, newObject('red', '')), /spec\.owner: Invalid value/);
});

test('there are no pods', async () => {
  const pods = { ...kinds.Pod, namespace: 'default' };
  await assert.rejects(client.list(pods), { reason: 'NotFound' });
});
