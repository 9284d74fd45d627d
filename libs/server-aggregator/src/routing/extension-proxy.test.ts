import assert from 'node:assert/strict';
import { forwardedUrl } from './extension-proxy.ts';

describe('what an extension API server is asked', () => {
  it('has its parameters sorted and written anew', () => {
    assert.equal(forwardedUrl('/apis/a/v1/x?b=2&a=1&a=0&c=%20%2f&d'), '/apis/a/v1/x?a=1&a=0&b=2&c=+%2F&d=');
    assert.equal(forwardedUrl('/apis/a/v1/x?'), '/apis/a/v1/x');
    assert.equal(forwardedUrl('/apis/a/v1/x?a=%zz&b=1;c=2&=3'), '/apis/a/v1/x?=3');
  });
  it('has no escapes in its path but those that are needed', () => {
    assert.equal(forwardedUrl('/apis/a/v1/x:y@z/%41(%20'), '/apis/a/v1/x:y@z/A%28%20');
    assert.equal(forwardedUrl('/apis/a/v1/%c3%a9'), '/apis/a/v1/%C3%A9');
    assert.equal(forwardedUrl('/apis/a/v1/%e9%c3%a9/../b'), '/apis/a/v1/%E9%C3%A9/../b');
    assert.equal(forwardedUrl('http://other/apis/a/v1/../x?watch=true;'), '/apis/a/v1/../x');
  });
});
