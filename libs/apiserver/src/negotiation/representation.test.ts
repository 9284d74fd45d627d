import assert from 'node:assert/strict';
import { objectHead, partialMetadata } from './representation.ts';
import { unstoredObject } from './result-document.ts';

describe('metadata alone', () => {
  const shown = (carriedAnnotations: readonly string[] | undefined, annotations: Record<string, string>) => {
    const kind = { group: 'apps', version: 'v1', kind: 'DaemonSet' };
    const head = objectHead({ kind, ...(carriedAnnotations === undefined ? {} : { carriedAnnotations }) });
    const metadata = { name: 'x', annotations, generation: 1 };
    const object = unstoredObject({ kind: 'DaemonSet', apiVersion: 'apps/v1', metadata });
    return partialMetadata(object, head, 'v1').toString();
  };
  const start = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x",';

  it('is without the annotations that stand for fields', () => {
    assert.equal(shown(undefined, { a: '1' }), `${start}"annotations":{"a":"1"},"generation":1}}`);
    assert.equal(shown(['a'], { a: '1' }), `${start}"generation":1}}`);
    assert.equal(shown(['a'], { a: '1', b: '2' }), `${start}"annotations":{"b":"2"},"generation":1}}`);
  });
});
