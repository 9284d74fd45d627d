import assert from 'node:assert/strict';
import { finish, parsingJson, type KubeObject } from '@apichain/meta';
import type { CrdPrinterColumn } from '@apichain/schema';
import { printerColumns } from './columns.ts';

const object = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a' },
  spec: {
    f: 2.7,
    huge: 1e30,
    million: 1234567.25,
    small: 0.00001,
    s: '12',
    n: null,
    o: { z: '<', a: [1] },
    t: '',
    bad: '2020',
    list: [1, 2],
  },
};
const column = (jsonPath: string, type = 'string'): CrdPrinterColumn => ({ name: 'x', type, jsonPath });
const cells = (...columns: CrdPrinterColumn[]) => printerColumns(columns).row(object).cells.slice(1);

describe('printer columns of CRDs', () => {
  it('print anything as text', () => {
    const paths = ['f', 'huge', 'million', 'small', 's', 'n', 'o', 'list[-1:]', 'none'];
    assert.deepEqual(cells(...paths.map((path) => column(`.spec.${path}`))), [
      '2.7',
      '1e+30',
      '1.23456725e+06',
      '1e-05',
      '12',
      '<no value>',
      '{"a":[1],"z":"\\u003c"}',
      '2',
      null,
    ]);
  });
  it('show null for a value of another type, and for a path that does not fit', () => {
    assert.deepEqual(
      cells(column('.spec.f', 'integer'), column('.spec.huge', 'integer'), column('.spec.s', 'integer')),
      [2, -(2n ** 63n), null],
    );
    assert.deepEqual(cells(column('.spec.n', 'integer'), column('.spec.o[0]'), column('.spec.list[7]')), [
      null,
      null,
      null,
    ]);
  });
  it('know times that are none', () => {
    assert.deepEqual(cells(column('.spec.t', 'date'), column('.spec.bad', 'date'), column('.spec.f', 'date')), [
      '<unknown>',
      '<invalid>',
      null,
    ]);
  });
  it('end before the first path that cannot be read', () => {
    const table = printerColumns([column('.spec.s'), column('.spec["s"]'), column('.spec.f')]);
    assert.deepEqual(
      table.columns.map(({ name }) => name),
      ['Name', 'x'],
    );
    assert.deepEqual(table.row(object).cells, ['a', '12']);
  });
  it('are the same of a large object of which only what they show is read', () => {
    const values = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key-${i}`, `value ${i}`]));
    const large = {
      ...object,
      metadata: { name: 'a', annotations: values },
      spec: { ...object.spec, values, more: [values] },
    };
    const json = Buffer.from(JSON.stringify(large));
    for (const path of [
      '.spec.values.key-77',
      '.spec.values.absent.deeper',
      '.metadata.annotations.key-8999',
      '.spec.more[0].key-5',
      '.spec.more[?(@.key-5=="value 5")].key-6',
      '.spec.values.*',
      '.spec..key-6',
      '..key-6',
      '.spec.values',
      '.spec.s',
    ]) {
      const table = printerColumns([column('.spec.s'), column(path)]);
      const read = finish(parsingJson(json, table.omits)) as KubeObject;
      assert.deepEqual(table.row(read).cells, table.row(large).cells, path);
    }
  });
});
