import assert from 'node:assert/strict';
import { serviceFlags } from './all-flags.ts';
import { parseFlags } from './parse-flags.ts';
import { uidHeadersOf } from './request-header.ts';

describe('the headers of front proxies', () => {
  const uidHeaders = (...args: string[]) => uidHeadersOf(parseFlags(serviceFlags(), args));
  const users = '--requestheader-username-headers=X-Remote-User';

  it('have a uid only where one is configured, unless none are', () => {
    assert.deepEqual(uidHeaders(), ['X-Remote-Uid']);
    assert.deepEqual(uidHeaders(users, '--requestheader-group-headers=X-Remote-Group'), []);
    assert.deepEqual(uidHeaders(users, '--requestheader-uid-headers=X-Remote-Uid,X-Uid'), ['X-Remote-Uid', 'X-Uid']);
  });
});
