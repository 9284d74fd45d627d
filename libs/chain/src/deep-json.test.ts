import assert from 'node:assert/strict';
import { TestChains } from './chain.fixture.ts';

const depth = 9_000;
const lists = '['.repeat(depth) + ']'.repeat(depth);
const objects = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

describe('deeply nested documents', () => {
  const chains = new TestChains();

  it('are read in a field that the kind does not have, up to a depth of 10,000', async () => {
    await chains.run(['--disable-admission-plugins=ServiceAccount'], async (chain) => {
      const transport = chain.connect('test');
      const create = async (unknown: string, type: string, query = '') => {
        const { status, body } = await transport.send({
          method: 'POST',
          path: `/api/v1/namespaces/default/configmaps?dryRun=All${query}`,
          headers: { 'content-type': type },
          body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":{"a":"b"},"unknown":${unknown}}`,
        });
        let text = '';
        for await (const chunk of body) text += chunk.toString();
        return { status, text };
      };
      for (const type of ['application/json', 'application/yaml'])
        for (const unknown of [lists, objects]) {
          const { status, text } = await create(unknown, type);
          assert.equal(status, 201, `${type}: ${text.slice(0, 200)}`);
          assert.ok(!text.includes('unknown'));
        }
      const strict = await create(lists, 'application/json', '&fieldValidation=Strict');
      assert.equal(strict.status, 400);
      assert.match(strict.text, /unknown field \\"unknown\\"/);
      const tooDeep = await create(`[${'['.repeat(10_000)}`, 'application/json');
      assert.equal(tooDeep.status, 400);
      assert.match(tooDeep.text, /exceeded max depth/);
      await transport.close();
    });
  });
});
