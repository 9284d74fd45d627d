import assert from 'node:assert/strict';
import { dataOf, emptyOf, fieldKindOf, fieldValue, withField } from './form-fields.ts';

const text = `kind: Order # an order
spec:
  customer: ada
  lines:
  - name: a
    count: 1
status:
`;

describe('the fields of a form', () => {
  it('are set in the manifest, which keeps everything else', () => {
    const changed = withField(text, ['spec', 'lines', 0, 'count'], 2);
    assert.equal(changed, text.replace('count: 1', 'count: 2'));
    assert.match(withField(text, ['spec', 'lines', 1], { name: 'b' }), /- name: a\n {4}count: 1\n {2}- name: b\n/);
  });

  it('are set where nothing was before', () => {
    assert.match(withField(text, ['status', 'phase', 'name'], 'x'), /status:\n {2}phase:\n {4}name: x\n/);
    assert.match(withField('kind: A\n', ['spec', 'tags', 0], 'on'), /spec:\n {2}tags:\n {2}- "on"\n/);
  });

  it('are removed', () => {
    assert.equal(withField(text, ['spec', 'customer'], undefined), text.replace('  customer: ada\n', ''));
  });

  it('are read', () => {
    assert.equal(fieldValue(dataOf(text), ['spec', 'lines', 0, 'name']), 'a');
    assert.equal(fieldValue(dataOf(text), ['status', 'phase']), undefined);
    assert.equal(dataOf('a: ['), undefined);
  });

  it('are edited by their type', () => {
    const document = { components: { schemas: { A: { type: 'object', properties: {} } } } };
    const kinds = [
      { $ref: '#/components/schemas/A' },
      { type: 'string', enum: ['a'] },
      { type: 'array', items: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-int-or-string': true },
    ].map((schema) => fieldKindOf(document, schema));
    assert.deepEqual(kinds, ['object', 'choice', 'list', 'map', 'other', 'text']);
    assert.deepEqual(
      [{ type: 'integer', minimum: 3 }, { type: 'string' }, { type: 'string', default: 'x' }, { type: 'boolean' }].map(
        (schema) => emptyOf(document, schema),
      ),
      [3, '', 'x', false],
    );
  });
});
