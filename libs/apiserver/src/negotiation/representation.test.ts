import assert from 'node:assert/strict';
import { finish } from '@apichain/meta';
import type { ObjectCodec } from '../registry/object-codec.ts';
import { partialListPieces } from './list-json.ts';
import { notAList, objectHead, partialMetadata } from './representation.ts';
import { unstoredObject } from './result-document.ts';

describe('metadata alone', () => {
  const shown = (carriedAnnotations: readonly string[] | undefined, annotations: Record<string, string>) => {
    const kind = { group: 'apps', version: 'v1', kind: 'DaemonSet' };
    const head = objectHead({ kind, ...(carriedAnnotations === undefined ? {} : { carriedAnnotations }) });
    const metadata = { name: 'x', annotations, generation: 1 };
    const object = unstoredObject({ kind: 'DaemonSet', apiVersion: 'apps/v1', metadata });
    return finish(partialMetadata(object, head, 'v1')).toString();
  };
  const start = '{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x",';

  it('omits the annotations that represent fields', () => {
    assert.equal(shown(undefined, { a: '1' }), `${start}"annotations":{"a":"1"},"generation":1}}`);
    assert.equal(shown(['a'], { a: '1' }), `${start}"generation":1}}`);
    assert.equal(shown(['a'], { a: '1', b: '2' }), `${start}"annotations":{"b":"2"},"generation":1}}`);
  });

  it('of nothing is a list without items', () => {
    const head = objectHead({ kind: { group: '', version: 'v1', kind: 'Pod' } });
    const list = partialListPieces({ items: [], revision: 7 }, head, 'v1', Buffer.from('\n'));
    assert.equal(
      [...list].map((piece) => (piece instanceof Promise ? assert.fail() : piece?.toString())).join(''),
      '{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":null}\n',
    );
  });

  it('is refused as a list for one object, which is named by its type in Go', () => {
    const type = (group: string) => notAList({ kind: { group, version: 'v1', kind: 'Event' } } as ObjectCodec).message;
    assert.match(type(''), /\(\*core\.Event\)$/);
    assert.match(type('events.k8s.io'), /\(\*core\.Event\)$/);
    assert.match(type('events.example.com'), /\(\*events\.Event\)$/);
  });
});
