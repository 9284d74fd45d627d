import assert from 'node:assert/strict';
import { parseQuery } from './query.ts';

describe('query parameters', () => {
  it('drop pairs that cannot be decoded and use the first of several', () => {
    const query = parseQuery('/x?a=%zz&b=1&b=2&%zz=3&c&d=%C3%BC+x');
    assert.equal(query.has('a'), false);
    assert.equal(query.text('b'), '1');
    assert.deepEqual(query.all('b'), ['1', '2']);
    assert.equal(query.boolean('c'), true);
    assert.equal(query.text('d'), 'ü x');
    assert.equal(parseQuery('/x?w=False').boolean('w'), false);
    assert.equal(parseQuery('/x?w=true;').boolean('w'), undefined);
    assert.equal(parseQuery('/x?w=true&w=0').boolean('w'), true);
    assert.equal(parseQuery(`/x?a=1${'&'.repeat(9_999)}`).text('a'), '1');
    assert.equal(parseQuery(`/x?a=1${'&'.repeat(10_000)}`).has('a'), false);
  });

  it('refuse invalid numbers with the messages of Go', () => {
    assert.throws(() => parseQuery('/x?limit=').integer('limit'), /strconv.ParseInt: parsing "": invalid syntax/);
    assert.equal(parseQuery(`/x?limit=-${'0'.repeat(1_000)}12`).integer('limit'), -12);
    assert.throws(() => parseQuery(`/x?limit=${'9'.repeat(100_000)}`).integer('limit'), /value out of range/);
    assert.throws(() => parseQuery('/x?limit=9223372036854775808').integer('limit'), /value out of range/);
  });
});
