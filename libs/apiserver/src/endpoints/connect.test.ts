import assert from 'node:assert/strict';
import { Harness, base, groupVersion } from '../installer.fixture.ts';
import type { Connecter } from '../registry/rest.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';

describe('subresources that are read as text', () => {
  it('are refused where what is asked for has no such form, before anything is looked up', async () => {
    const { defined, storage } = defineWidgets();
    const [main] = defined.storagesOf(groupVersion);
    assert.ok(main !== undefined);
    const log: Connecter = {
      path: 'widgets/log',
      info: main.info,
      type: main.type,
      connectMethods: ['GET'],
      readsOnly: true,
      connect: async (_ctx, _name, _subpath, _request, response) => {
        response.end('text');
      },
    };
    const harness = new Harness({ storage, defined: { ...defined, storagesOf: () => [main, log] } }, {});
    await harness.start();
    const read = async (accept: string) => {
      const { status, text, body } = await harness.send('GET', `${base}/a/log`, undefined, { accept });
      return status === 200 ? text : `${status} ${String(body['message'])}`;
    };
    try {
      assert.equal(await read('application/json, */*'), 'text');
      assert.equal(
        await read('application/json;as=Table;v=v1;g=meta.k8s.io'),
        '406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      );
      assert.match(await read('text/html'), /Available representations: text\/plain, application\/json, /);
    } finally {
      harness.stop();
    }
  });
});
