import assert from 'node:assert/strict';
import { createApp, createHttp2App } from './http-app.ts';

describe('applications', () => {
  for (const [protocol, create] of [
    ['HTTP/1', () => createApp().app],
    ['HTTP/2', createHttp2App],
  ] as const)
    it(`of ${protocol} keep their requests and responses when another one is created`, () => {
      const first = create();
      const methods = () =>
        [first.request, first.response].flatMap((message) =>
          ['emit', 'write', 'end', 'setHeader', 'writeHead'].map((name): unknown => Reflect.get(message, name)),
        );
      const before = methods();
      create();
      assert.deepEqual(methods(), before);
      assert.equal(first.request.app, first);
      assert.equal(first.response.app, first);
    });
});
