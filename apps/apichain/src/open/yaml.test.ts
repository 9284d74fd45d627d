import assert from 'node:assert/strict';
import { parseJson } from '@apichain/meta';
import { asYaml } from './yaml.ts';

describe('a printed document', () => {
  it('is YAML, or JSON when it has characters that YAML does not allow', () => {
    assert.equal(asYaml({ kind: 'ConfigMap', data: { a: 'b' } }), 'data:\n  a: b\nkind: ConfigMap\n');
    const odd = { data: { control: '\u0080' } };
    const text = asYaml(odd);
    assert.match(text, /^\{.*\}\n$/);
    assert.deepEqual(parseJson(text), odd);
  });
});
