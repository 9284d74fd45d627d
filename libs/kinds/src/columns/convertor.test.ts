import assert from 'node:assert/strict';
import { readGenerated } from '../generated-file.ts';
import { tableConvertor } from './convertor.ts';

describe('tableConvertor', () => {
  it('has a cell for every column of every kind', () => {
    const kinds = readGenerated<{ group: string; kind: string; columns: object[] }[]>('columns.json');
    assert.ok(kinds.length > 40);
    for (const { group, kind, columns } of kinds) {
      const { cells } = tableConvertor(group, kind).row({ apiVersion: '', kind, metadata: { name: 'x' } });
      // The printer of IPAddress writes one cell more than it has columns.
      assert.equal(cells.length, columns.length + (kind === 'IPAddress' ? 1 : 0), `${kind}.${group}`);
    }
  });
});
