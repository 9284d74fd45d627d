import assert from 'node:assert/strict';
import { parseQuery } from '@apichain/request';
import { readListOptions, readPatchOptions } from './request-options.ts';

describe('query parameters', () => {
  it('make a watch without resourceVersion a streaming list', () => {
    const { options, watch } = readListOptions(parseQuery('/x?watch=1&resourceVersion=0'));
    assert.equal(watch, true);
    assert.equal(options.sendInitialEvents, true);
    assert.throws(() => readListOptions(parseQuery('/x?watch=1&continue=e30')), /forbidden when continue is provided/);
    assert.throws(
      () => readListOptions(parseQuery('/x?sendInitialEvents=true')),
      /sendInitialEvents is forbidden for list/,
    );
  });

  it('require a field manager for apply and refuse force for other patches', () => {
    assert.throws(
      () => readPatchOptions(parseQuery('/x'), true),
      /fieldManager: Required value: is required for apply patch/,
    );
    assert.throws(
      () => readPatchOptions(parseQuery('/x?force=true'), false),
      /may not be specified for non-apply patch/,
    );
    assert.equal(readPatchOptions(parseQuery('/x?fieldManager=m&force=true'), true).force, true);
  });
});
