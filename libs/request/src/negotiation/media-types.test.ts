import assert from 'node:assert/strict';
import { parseMediaType } from './media-types.ts';

describe('Content-Type', () => {
  it('is read as Go reads it', () => {
    assert.equal(parseMediaType('application/JSON; charset=utf-8')?.mediaType, 'application/json');
    assert.equal(parseMediaType('application/json;a'), undefined);
    for (const parameters of ['charset=', 'a="b', 'a=b;a=c'])
      assert.equal(parseMediaType(`application/json;${parameters}`), undefined);
    assert.equal(parseMediaType('application/json;a=""')?.parameters.get('a'), '');
    assert.equal(parseMediaType('application/'), undefined);
    assert.equal(parseMediaType('*/*')?.mediaType, '*/*');
  });
});
